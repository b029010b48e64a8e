/// The values of one property of all features of a ``FeatureIndex``, by ordinal.
///
/// The values are in chunks, one for each block of the index, which changed indexes share like the
/// blocks. Each value has a code: missing, false, true, number, or an entry of a dictionary that
/// holds each distinct string, array and object once. A value takes 8 bytes if the chunk has
/// numbers, 4 bytes if it has codes other than missing, and none if all are missing.
public final class PropertyColumn: Sendable {
  /// The kind of a value, or its entry in the dictionary.
  public typealias Code = UInt32
  /// The code of no value or JSON null.
  public static let missing: Code = 0
  /// The code of false.
  public static let `false`: Code = 1
  /// The code of true.
  public static let `true`: Code = 2
  /// The code of a number.
  public static let number: Code = 3
  /// The code of the dictionary's first entry. Those of the others follow.
  public static let firstEntry: Code = 4

  /// The number of features.
  public let count: Int
  let chunks: [ColumnChunk]
  /// The codes by ordinal; nil for blocks in which all are missing or numbers. The pointers are valid
  /// while the column lives.
  let codes: BlockTable<Code>
  /// The numbers by ordinal, NaN for other values; nil for blocks without numbers.
  let doubles: BlockTable<Double>
  /// The extent of the numbers in each block, in one piece of memory, so that a look at each block costs little.
  let zones: FixedArray<ColumnChunk.Zone>
  /// The strings, and flagged arrays and objects. Some may belong to no feature any more.
  let dictionary: ByteDictionary
  /// The number of live entries when they were last counted.
  let livingEntries: Int
  /// Whether any feature has or had a value that isn't a number.
  let hasCodes: Bool
  /// Whether any feature has or had a number.
  public let hasNumbers: Bool
  /// The memory it takes, in bytes.
  public let byteCount: Int
  private let chunkBytes: Int

  /// Creates a column from its chunks by block.
  ///
  /// - Parameter livingEntries: the number of entries that belong to features, or nil for all.
  convenience init(
    _ chunks: [ColumnChunk], _ dictionary: ByteDictionary, livingEntries: Int? = nil
  ) {
    let made = EditedBlocks.Made(chunks.enumerated().map { ($0.offset, $0.element) })
    self.init(chunks, made, dictionary, livingEntries: livingEntries ?? dictionary.count)
  }

  /// Creates a column. Given that of an earlier index it takes O(blocks), without reading kept chunks.
  ///
  /// - Parameter made: the chunks of the new blocks.
  init(
    _ chunks: [ColumnChunk], _ made: EditedBlocks.Made<ColumnChunk>, of old: PropertyColumn? = nil,
    after edit: EditedBlocks? = nil, _ dictionary: ByteDictionary, livingEntries: Int
  ) {
    self.chunks = chunks
    self.dictionary = dictionary
    self.livingEntries = livingEntries
    codes = BlockTable(chunks.count, made, \.codes, of: old?.codes, after: edit)
    doubles = BlockTable(chunks.count, made, \.doubles, of: old?.doubles, after: edit)
    zones = made.table(chunks.count, of: old?.zones, after: edit, moved: { zone, _ in zone }) {
      chunk, _ in
      ColumnChunk.Zone(
        least: chunk.extent.least, greatest: chunk.extent.greatest, isNumeric: chunk.isNumeric)
    }
    var (count, bytes) = (old?.count ?? 0, old?.chunkBytes ?? 0)
    for number in edit?.removed(of: old?.chunks.count ?? 0) ?? [] {
      count -= old?.chunks[number].count ?? 0
      bytes -= old?.chunks[number].byteCount ?? 0
    }
    for (_, chunk) in made.all {
      count += chunk.count
      bytes += chunk.byteCount
    }
    self.count = count
    chunkBytes = bytes
    byteCount = bytes + dictionary.byteCount
    hasCodes = old?.hasCodes ?? false || made.all.contains { $0.1.codes != nil }
    hasNumbers = old?.hasNumbers ?? false || made.all.contains { $0.1.doubles != nil }
  }

  /// Whether no feature is known to have the property.
  public var isAllMissing: Bool { !hasCodes && !hasNumbers }

  /// Whether any feature has a value, whatever there was before.
  ///
  /// - Complexity: O(blocks) up to the first that has one.
  public var hasValues: Bool {
    !isAllMissing && chunks.contains { $0.codes != nil || $0.doubles != nil }
  }

  /// Whether any feature has a number, whatever there was before.
  ///
  /// - Complexity: O(blocks) up to the first that has one.
  public var holdsNumbers: Bool { hasNumbers && chunks.contains { $0.doubles != nil } }

  /// Whether there are numbers, and no other values.
  ///
  /// - Complexity: O(blocks).
  public var hasNumbersOnly: Bool {
    chunks.allSatisfy { $0.codes == nil } && chunks.contains { $0.doubles != nil }
  }

  /// Whether there are booleans, and no other values.
  ///
  /// - Complexity: O(features) if so.
  public var hasBooleansOnly: Bool {
    guard chunks.allSatisfy({ $0.doubles == nil }) else { return false }
    var isFound = false
    for chunk in chunks {
      guard let codes = chunk.codes else { continue }
      for offset in 0..<chunk.count {
        let code = codes.pointer[offset]
        guard code <= Self.true else { return false }
        isFound = isFound || code != Self.missing
      }
    }
    return isFound
  }

  /// The least and the greatest number; nil if there is none.
  ///
  /// - Complexity: O(blocks).
  public var extent: ClosedRange<Double>? {
    var (least, greatest) = (Double.infinity, -Double.infinity)
    for chunk in chunks where chunk.doubles != nil {
      (least, greatest) = (min(least, chunk.extent.least), max(greatest, chunk.extent.greatest))
    }
    return least <= greatest ? least...greatest : nil
  }

  /// Returns the number of the feature with an ordinal, or NaN for another value.
  @inline(__always)
  public func number(at ordinal: Int) -> Double { doubles[around: ordinal]?[ordinal] ?? .nan }

  /// Returns the code of the feature with an ordinal.
  @inline(__always)
  public func code(at ordinal: Int) -> Code {
    if let codes = codes[around: ordinal] { return codes[ordinal] }
    return number(at: ordinal).isNaN ? PropertyColumn.missing : PropertyColumn.number
  }

  /// The number of entries in the dictionary. Their codes begin with ``firstEntry``.
  public var entryCount: Int { dictionary.count }

  /// Returns the UTF-8 of a string or the JSON text of another entry, valid while the column lives.
  @inline(__always)
  public func bytes(ofEntry code: Code) -> UnsafeRawBufferPointer {
    dictionary[Int(code - PropertyColumn.firstEntry)]
  }

  /// Returns whether an entry is a string rather than an array or object.
  @inline(__always)
  public func isString(entry code: Code) -> Bool {
    !dictionary.flag(of: Int(code - PropertyColumn.firstEntry))
  }

  /// Returns the code of a string, or nil if the dictionary doesn't contain it.
  public func code(ofString text: [UInt8]) -> Code? {
    text.withUnsafeBytes { dictionary.number(of: $0) }.map {
      PropertyColumn.firstEntry + Code($0)
    }
  }

  /// Returns the value of the feature with an ordinal. Its bytes are valid while the column lives.
  public func value(at ordinal: Int) -> PropertyValue {
    switch code(at: ordinal) {
    case PropertyColumn.missing: .missing
    case PropertyColumn.false: .bool(false)
    case PropertyColumn.true: .bool(true)
    case PropertyColumn.number: .number(number(at: ordinal))
    case let entry:
      isString(entry: entry) ? .string(bytes(ofEntry: entry)) : .other(bytes(ofEntry: entry))
    }
  }

  /// Returns the weight that a number stands for.
  @inline(__always)
  static func weight(_ number: Double) -> Double { number > 0 ? number : 0 }
}
