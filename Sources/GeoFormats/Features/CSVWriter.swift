public import ClusterCore

/// Writes features as the records of a table, which ``FeatureReader`` reads back as far as a table can hold them.
///
/// The columns are `id`, `lon`, `lat` and a column for each name of a property. Numbers and texts are written as they
/// are, texts that look like numbers in quotes, and other values as JSON, which comes back as text. So do numbers of a
/// column that also holds other values, as columns have one type.
public struct CSVWriter {
  /// The names of properties that a table has columns for, and what is in these.
  public struct Columns: Sendable {
    /// The most columns.
    public static let most = 1000
    /// The names as they are read from a header, in the order in which they came.
    fileprivate private(set) var names: [[UInt8]] = []
    /// The columns that hold something else than numbers.
    fileprivate private(set) var isMixed: [Bool] = []
    /// Whether some ids aren't integers, so that all come back as texts.
    fileprivate private(set) var hasTextIDs = false
    private var known: [[UInt8]: Int] = [:]
    private var byteCount = 0

    /// No columns.
    public init() {}

    /// Adds the names of all properties of features. Returns false if these are too many.
    public mutating func add(namesIn batch: FeatureBatch) -> Bool {
      for index in 0..<batch.count {
        let isWithinLimits = batch.withRecord(at: index) { record in
          if case .text = record.rawID { hasTextIDs = true }
          for member in PropertyReader.Members(of: record.properties) {
            let name = CSVWriter.text(ofString: member.name)
            guard CSVWriter.canName(name) else { continue }
            let isOther = !JSONText.isNumber(member.value) && !CSVWriter.isEmpty(member.value)
            if let column = known[name] {
              if isOther { isMixed[column] = true }
              continue
            }
            known[name] = names.count
            names.append(name)
            isMixed.append(isOther)
            byteCount += name.count
            if names.count > Columns.most || byteCount > 1 << 20 { return false }
          }
          return true
        }
        if !isWithinLimits { return false }
      }
      return true
    }
  }

  /// The columns before those of properties.
  private static let first = ["id", "lon", "lat"].map { Array($0.utf8) }

  private let columns: [[UInt8]: Int]
  private let isMixed: [Bool]
  private let hasTextIDs: Bool
  /// The number of features so far that a reader of the table gets differently.
  public private(set) var inexact = 0
  private var bytes: [UInt8] = []
  private var values: [UnsafeRawBufferPointer?]
  private var number = JSONWriter(reserving: 64)

  /// Begins a table with its header.
  public init(_ columns: Columns) {
    (isMixed, hasTextIDs) = (columns.isMixed, columns.hasTextIDs)
    self.columns = Dictionary(uniqueKeysWithValues: zip(columns.names, 0...))
    values = Array(repeating: nil, count: columns.names.count)
    for (index, name) in (CSVWriter.first + columns.names).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      name.withUnsafeBytes { append($0) }
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// Hands over what was written since the last call.
  public mutating func take(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { try body($0) }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes a feature.
  public mutating func write(_ record: FeatureRecord) {
    var isExact = record.expires == nil && record.furtherOrdinates.isEmpty
    switch record.rawID {
    case .integer(let value, let writtenAsText):
      bytes += "\(value)".utf8
      if writtenAsText != hasTextIDs { isExact = false }
    case .text(let text):
      append(text)
      if !CSVWriter.isRead(text) { isExact = false }
    }
    for ordinate in [record.coordinate.longitude, record.coordinate.latitude] {
      bytes.append(UInt8(ascii: ","))
      number.removeAll()
      number.value(ordinate)
      bytes += number.bytes
    }
    for index in values.indices { values[index] = nil }
    for member in PropertyReader.Members(of: record.properties) {
      let column = columns[CSVWriter.text(ofString: member.name)]
      if column.flatMap({ values[$0] }) != nil || column == nil { isExact = false }
      if let column { values[column] = member.value }
    }
    for (value, isMixed) in zip(values, isMixed) {
      bytes.append(UInt8(ascii: ","))
      if let value, !append(value: value, isMixed: isMixed) { isExact = false }
    }
    bytes.append(UInt8(ascii: "\n"))
    if !isExact { inexact += 1 }
  }

  /// Writes a value given as JSON. Returns whether it is read back.
  private mutating func append(value: UnsafeRawBufferPointer, isMixed: Bool) -> Bool {
    switch value.first {
    case UInt8(ascii: "\""):
      let text = CSVWriter.text(ofString: value)
      return text.withUnsafeBytes { text in
        append(text, inQuotes: JSONText.isNumber(text))
        return !text.isEmpty
      }
    // Nothing is what comes closest to null.
    case UInt8(ascii: "n"): return false
    default:
      append(value)
      return JSONText.isNumber(value) && !isMixed
    }
  }

  /// Writes a text, in quotes if need be.
  private mutating func append(_ text: UnsafeRawBufferPointer, inQuotes: Bool = false) {
    let special = [UInt8(ascii: "\""), UInt8(ascii: ","), 0x0A, 0x0D]
    // White space around a text, and a byte order mark at the start of a table, wouldn't be taken as they are.
    let ends = [text.first, text.last].compactMap(\.self)
    guard
      inQuotes || ends.contains(where: { JSONText.isSpace($0) || $0 == 0xEF })
        || text.contains(where: special.contains)
    else {
      bytes += text
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a name can be that of a column of properties.
  private static func canName(_ name: [UInt8]) -> Bool {
    !first.contains(name) && name.withUnsafeBytes { JSONText.trimmed($0).count == $0.count }
  }

  /// Whether nothing is written for a value: null, and the empty text.
  private static func isEmpty(_ value: UnsafeRawBufferPointer) -> Bool {
    value.first == UInt8(ascii: "n") || value.count == 2 && value.first == UInt8(ascii: "\"")
  }

  /// Whether a text id is read back as it is.
  private static func isRead(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let id = try? FeatureID(bareUTF8: text), case .text = id.key else { return false }
    return true
  }

  /// The text of a JSON string that includes its quotes.
  private static func text(ofString json: UnsafeRawBufferPointer) -> [UInt8] {
    let inner = json.count > 1 ? Array(json[1..<(json.count - 1)]) : []
    return inner.contains(UInt8(ascii: "\\")) ? JSONScanner.unescape(json) : inner
  }
}
