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
  private let codes: FixedArray<UnsafePointer<Code>?>
  private let doubles: FixedArray<UnsafePointer<Double>?>
  /// Strings, and flagged arrays and objects; some may be in no feature any more.
  let dictionary: ByteDictionary
  /// How many entries were in a feature when that was last known.
  let livingEntries: Int
  /// Whether any feature has a value that isn't a number.
  let hasCodes: Bool
  /// Whether any feature's value is a number.
  public let hasNumbers: Bool
  /// The memory it takes, in bytes.
  public let byteCount: Int

  /// The column of chunks by block.
  ///
  /// - Parameter livingEntries: how many of the dictionary's entries are in features, as far as is
  ///   known; nil: all.
  init(_ chunks: [ColumnChunk], _ dictionary: ByteDictionary, livingEntries: Int? = nil) {
    self.chunks = chunks
    self.dictionary = dictionary
    self.livingEntries = livingEntries ?? dictionary.count
    codes = FixedArray(uninitialized: chunks.count)
    doubles = FixedArray(uninitialized: chunks.count)
    var (count, bytes) = (0, codes.byteCount + doubles.byteCount + dictionary.byteCount)
    var (hasCodes, hasNumbers) = (false, false)
    for (block, chunk) in chunks.enumerated() {
      let firstPlace = block << PointIndex.blockBits
      codes.pointer[block] = chunk.codes?.startingAt(firstPlace)
      doubles.pointer[block] = chunk.doubles?.startingAt(firstPlace)
      count += chunk.count
      bytes += chunk.byteCount
      hasCodes = hasCodes || chunk.codes != nil
      hasNumbers = hasNumbers || chunk.doubles != nil
    }
    self.count = count
    byteCount = bytes
    (self.hasCodes, self.hasNumbers) = (hasCodes, hasNumbers)
  }

  /// Whether no feature has the property.
  public var isAllMissing: Bool { !hasCodes && !hasNumbers }

  /// The codes of the block that a place is in, by place; nil where all are missing or numbers. They
  /// hold while the column lives.
  @inline(__always)
  func codes(around place: Int) -> UnsafePointer<Code>? {
    codes.pointer[place &>> PointIndex.blockBits]
  }

  /// The numbers of the block that a place is in, by place, NaN where there is none; nil where there
  /// are none at all. They hold while the column lives.
  @inline(__always)
  func doubles(around place: Int) -> UnsafePointer<Double>? {
    doubles.pointer[place &>> PointIndex.blockBits]
  }

  /// The number at a place; NaN if it is something else.
  @inline(__always)
  public func number(at place: Int) -> Double { doubles(around: place)?[place] ?? .nan }

  /// The code at a place.
  @inline(__always)
  public func code(at place: Int) -> Code {
    if let codes = codes(around: place) { return codes[place] }
    return number(at: place).isNaN ? PropertyColumn.missing : PropertyColumn.number
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
  public func value(at place: Int) -> PropertyValue {
    switch code(at: place) {
    case PropertyColumn.missing: .missing
    case PropertyColumn.false: .bool(false)
    case PropertyColumn.true: .bool(true)
    case PropertyColumn.number: .number(number(at: place))
    case let entry:
      isString(entry: entry) ? .string(bytes(ofEntry: entry)) : .other(bytes(ofEntry: entry))
    }
  }
}
