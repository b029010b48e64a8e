public import ClusterCore

/// Writes features as the records of a table, which ``FeatureReader`` reads back as far as a table can hold them.
///
/// It is as RFC 4180 has it, with a header, and in UTF-8. The columns are `id`, `longitude`, `latitude` and a column for
/// each name of a property. Numbers and texts are written as they are, texts that look like numbers in quotes, null as
/// nothing, and other values as JSON, which comes back as text. So do numbers of a column that also holds other values, as
/// columns have one type.
public struct CSVWriter {
  /// The names of properties that a table has columns for, and the kinds of their values.
  public struct Columns: Sendable {
    /// The most columns.
    public static let most = 1000
    /// The names as they are read from a header, in the order in which they came.
    fileprivate private(set) var names: [[UInt8]] = []
    /// The columns that hold something else than numbers.
    fileprivate private(set) var isMixed: [Bool] = []
    /// Whether some ids aren't integers, so that all come back as texts.
    fileprivate private(set) var hasTextIDs = false
    fileprivate private(set) var known: [[UInt8]: Int] = [:]
    private var byteCount = 0

    /// No columns.
    public init() {}

    /// The columns of some names in UTF-8, in their order. Those that come again, and those that can't be a property's
    /// column, are left out. Nothing is known of the values in them, so that ``CSVWriter/inexact`` counts too few.
    public init(names: [[UInt8]]) {
      for name in names where known[name] == nil && CSVWriter.canName(name) {
        known[name] = self.names.count
        self.names.append(name)
      }
      isMixed = Array(repeating: false, count: self.names.count)
    }

    /// The number of columns.
    public var count: Int { names.count }

    /// Adds the names of all properties of features. Returns false if these are too many.
    ///
    /// - Complexity: O(bytes of all properties).
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
  static let first = ["id", "longitude", "latitude"].map { Array($0.utf8) }

  private let columns: Columns
  /// Whether the names of the columns are read back.
  private let areRead: [Bool]
  /// The number of features so far that a reader of the table gets differently.
  public private(set) var inexact = 0
  private var bytes: [UInt8] = []
  private var values: [UnsafeRawBufferPointer?]
  /// The columns of the names that the last features had at each place, as most have the same in the same order.
  private var places: [(name: [UInt8], column: Int?)] = []
  private var number = JSONWriter(reserving: 64)

  /// Begins a table with its header.
  ///
  /// - Parameter hasDistances: whether each feature is written with its distance, in a column before those of properties.
  public init(_ columns: Columns, hasDistances: Bool = false, reserving capacity: Int = 0) {
    self.columns = columns
    areRead = columns.names.map(CSVWriter.isReadName)
    values = Array(repeating: nil, count: columns.names.count)
    bytes.reserveCapacity(capacity)
    let first = CSVWriter.first + (hasDistances ? [Array("distance".utf8)] : [])
    for (index, name) in (first + columns.names).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      name.withUnsafeBytes { append($0) }
    }
    bytes += CSVWriter.lineEnd
  }

  /// Returns the bytes written since the last call.
  public mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Hands over the bytes written since the last call.
  public mutating func take(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { try body($0) }
    bytes.removeAll(keepingCapacity: true)
  }

  /// Writes a feature, with its distance if the table has distances.
  public mutating func write(_ record: FeatureRecord, metres: Double? = nil) {
    var isExact = record.expires == nil && record.furtherOrdinates.isEmpty
    switch record.rawID {
    case .integer(let value, let writtenAsText):
      bytes += "\(value)".utf8
      if writtenAsText != columns.hasTextIDs { isExact = false }
    case .text(let text):
      append(text)
      if !CSVWriter.isRead(text) { isExact = false }
    }
    let (x, y) = (record.coordinate.longitude, record.coordinate.latitude)
    for ordinate in [x, y] + (metres.map { [$0] } ?? []) {
      bytes.append(UInt8(ascii: ","))
      number.removeAll()
      number.value(ordinate)
      bytes += number.bytes
    }
    for index in values.indices { values[index] = nil }
    var place = 0
    for member in PropertyReader.Members(of: record.properties) {
      let column = column(of: member.name, at: place)
      place += 1
      guard let column else {
        isExact = false
        continue
      }
      if values[column] != nil || !areRead[column] { isExact = false }
      values[column] = member.value
    }
    for (value, isMixed) in zip(values, columns.isMixed) {
      bytes.append(UInt8(ascii: ","))
      if let value, !append(value: value, isMixed: isMixed) { isExact = false }
    }
    bytes += CSVWriter.lineEnd
    if !isExact { inexact += 1 }
  }

  private static let lineEnd: [UInt8] = [0x0D, 0x0A]
  /// The most places that are remembered.
  private static let mostPlaces = 256

  /// The column of a name given as JSON, at some place of its object; nil if it has none.
  private mutating func column(of name: UnsafeRawBufferPointer, at place: Int) -> Int? {
    if place < places.count {
      let known = places[place]
      if known.name.count == name.count, known.name.elementsEqual(name) { return known.column }
    }
    let column = columns.known[CSVWriter.text(ofString: name)]
    if place < places.count {
      places[place] = (Array(name), column)
    } else if place < CSVWriter.mostPlaces {
      places.append((Array(name), column))
    }
    return column
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
    // An empty field comes closest to null.
    case UInt8(ascii: "n"): return false
    default:
      append(value)
      return JSONText.isNumber(value) && !isMixed
    }
  }

  /// Writes a text, in quotes if need be.
  private mutating func append(_ text: UnsafeRawBufferPointer, inQuotes: Bool = false) {
    // White space around a text, and a byte order mark at the start of a table, wouldn't be taken as they are.
    let hasLostEnd = CSVWriter.isLost(text.first) || CSVWriter.isLost(text.last)
    guard inQuotes || hasLostEnd || text.contains(where: CSVWriter.isSpecial) else {
      bytes += text
      return
    }
    CSVWriter.quote(text, into: &bytes)
  }

  /// Adds a text in quotes.
  package static func quote(_ text: UnsafeRawBufferPointer, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether a text with a byte isn't one field without quotes.
  package static func isSpecial(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D
  }

  private static func isLost(_ byte: UInt8?) -> Bool {
    byte.map { JSONText.isSpace($0) || $0 == 0xEF } ?? false
  }

  /// Whether a name can be that of a column of properties.
  private static func canName(_ name: [UInt8]) -> Bool { !first.contains(name) }

  /// Whether a name is read back as it is, rather than without the white space around it.
  private static func isReadName(_ name: [UInt8]) -> Bool {
    name.withUnsafeBytes { JSONText.trimmed($0).count == $0.count }
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
