/// One property of all features of a ``FeatureIndex``, by place.
///
/// The values lie in chunks, one for each of the index's blocks, which a changed index shares as it does
/// the blocks. Each feature has a code: missing, false, true, number, or an entry of a dictionary that holds
/// each distinct string, array and object once. Memory is taken only for what occurs: none a
/// feature if none has the property, 8 bytes if they are numbers, 4 if there are none.
public final class PropertyColumn: Sendable {
  /// What a feature's value is.
  public typealias Code = UInt32
  /// The code of no value, or JSON's null.
  public static let missing: Code = 0
  /// The code of false.
  public static let `false`: Code = 1
  /// The code of true.
  public static let `true`: Code = 2
  /// The code of a number.
  public static let number: Code = 3
  /// The code of the dictionary's first entry; the others follow.
  public static let firstEntry: Code = 4

  /// The number of features.
  public let count: Int
  let chunks: [ColumnChunk]
  /// By block: where the codes and numbers are, indexed by place; nil where there are none.
  private let codes: BlockTable<Code>
  private let doubles: BlockTable<Double>
  /// Strings, and flagged arrays and objects; some may be in no feature any more.
  let dictionary: ByteDictionary
  /// How many entries were in a feature when that was last known.
  let livingEntries: Int
  /// Whether any feature has a value that isn't a number, or had one once.
  let hasCodes: Bool
  /// Whether any feature's value is a number, or was one once.
  public let hasNumbers: Bool
  /// The memory it takes, in bytes.
  public let byteCount: Int
  private let chunkBytes: Int

  /// The column of chunks by block.
  ///
  /// - Parameter livingEntries: how many of the dictionary's entries are in features, as far as is
  ///   known; nil: all.
  convenience init(
    _ chunks: [ColumnChunk], _ dictionary: ByteDictionary, livingEntries: Int? = nil
  ) {
    let made = EditedBlocks.Made(chunks.enumerated().map { ($0.offset, $0.element) })
    self.init(
      chunks, made, nil, nil, dictionary, livingEntries: livingEntries ?? dictionary.count)
  }

  /// The column of a changed index. O(blocks), but for the new ones without a look at any of them.
  ///
  /// - Parameter made: the chunks of its new blocks.
  convenience init(
    _ old: PropertyColumn, after edit: EditedBlocks, _ made: EditedBlocks.Made<ColumnChunk>,
    _ dictionary: ByteDictionary
  ) {
    self.init(
      edit.applied(to: old.chunks, made), made, old, edit, dictionary,
      livingEntries: old.livingEntries)
  }

  private init(
    _ chunks: [ColumnChunk], _ made: EditedBlocks.Made<ColumnChunk>, _ old: PropertyColumn?,
    _ edit: EditedBlocks?, _ dictionary: ByteDictionary, livingEntries: Int
  ) {
    self.chunks = chunks
    self.dictionary = dictionary
    self.livingEntries = livingEntries
    codes = BlockTable(chunks.count, made, \.codes, of: old?.codes, after: edit)
    doubles = BlockTable(chunks.count, made, \.doubles, of: old?.doubles, after: edit)
    var (count, bytes) = (old?.count ?? 0, old?.chunkBytes ?? 0)
    for number in edit?.gone(of: old?.chunks.count ?? 0) ?? [] {
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

  init(copying other: PropertyColumn) {
    (count, chunks, codes, doubles) = (other.count, other.chunks, other.codes, other.doubles)
    (dictionary, livingEntries) = (other.dictionary, other.livingEntries)
    (hasCodes, hasNumbers) = (other.hasCodes, other.hasNumbers)
    (chunkBytes, byteCount) = (other.chunkBytes, other.byteCount)
  }

  /// Whether no feature has the property or had it lately.
  public var isAllMissing: Bool { !hasCodes && !hasNumbers }

  /// The codes of the block that a place is in, by place; nil where all are missing or numbers. They
  /// hold while the column lives.
  @inline(__always)
  func codes(around ordinal: Int) -> UnsafePointer<Code>? {
    codes[around: ordinal]
  }

  /// The numbers of the block that a place is in, by place, NaN where there is none; nil where there
  /// are none at all. They hold while the column lives.
  @inline(__always)
  func doubles(around ordinal: Int) -> UnsafePointer<Double>? {
    doubles[around: ordinal]
  }

  /// The number at a place; NaN if it is something else.
  @inline(__always)
  public func number(at ordinal: Int) -> Double { doubles(around: ordinal)?[ordinal] ?? .nan }

  /// The code at a place.
  @inline(__always)
  public func code(at ordinal: Int) -> Code {
    if let codes = codes(around: ordinal) { return codes[ordinal] }
    return number(at: ordinal).isNaN ? PropertyColumn.missing : PropertyColumn.number
  }

  /// How many entries the dictionary has: their codes are ``firstEntry`` and those that follow.
  public var entryCount: Int { dictionary.count }

  /// An entry's bytes: a string's UTF-8, or JSON text. They hold while the column lives.
  @inline(__always)
  public func bytes(ofEntry code: Code) -> UnsafeRawBufferPointer {
    dictionary[Int(code - PropertyColumn.firstEntry)]
  }

  /// Whether an entry is a string rather than an array or object.
  @inline(__always)
  public func isString(entry code: Code) -> Bool {
    !dictionary.flag(of: Int(code - PropertyColumn.firstEntry))
  }

  /// The code of a string, if it is in the dictionary.
  public func code(ofString text: [UInt8]) -> Code? {
    text.withUnsafeBytes { dictionary.number(of: $0) }.map {
      PropertyColumn.firstEntry + Code($0)
    }
  }

  /// The value at a place; the bytes hold while the column lives.
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
}

extension PropertyColumn {
  /// What a number counts as a weight.
  @inline(__always)
  static func weight(_ number: Double) -> Double { number > 0 ? number : 0 }
}
