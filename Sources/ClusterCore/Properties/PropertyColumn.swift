/// One property of all features of a ``FeatureIndex``, by place.
///
/// Each feature has a code: missing, false, true, number, or an entry of a dictionary that holds
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
  /// nil if all are missing or numbers.
  let codes: FixedArray<Code>?
  /// NaN where there is no number; nil if there are none.
  let doubles: FixedArray<Double>?
  /// Strings, and flagged arrays and objects; some may be in no feature any more.
  let dictionary: ByteDictionary
  /// How many entries were in a feature when that was last known.
  let livingEntries: Int

  init(
    count: Int, codes: FixedArray<Code>?, doubles: FixedArray<Double>?, dictionary: ByteDictionary,
    livingEntries: Int
  ) {
    self.count = count
    self.codes = codes
    self.doubles = doubles
    self.dictionary = dictionary
    self.livingEntries = livingEntries
  }

  /// The memory it takes, in bytes.
  public var byteCount: Int {
    (codes?.byteCount ?? 0) + (doubles?.byteCount ?? 0) + dictionary.byteCount
  }

  /// Whether no feature has the property.
  public var isAllMissing: Bool { codes == nil && doubles == nil }

  /// Whether any feature's value is a number.
  public var hasNumbers: Bool { doubles != nil }

  /// The number at a place; NaN if it is something else.
  @inline(__always)
  public func number(at place: Int) -> Double { doubles?.pointer[place] ?? .nan }

  /// The code at a place.
  @inline(__always)
  public func code(at place: Int) -> Code {
    if let codes { return codes.pointer[place] }
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
