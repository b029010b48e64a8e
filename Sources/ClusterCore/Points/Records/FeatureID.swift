import Glibc  // the math functions behind rounded() are linked through it
internal import Texts

/// The id of a feature: an integer within ±(2^53 − 1), or text of 1…256 Unicode scalars without
/// control characters. New features have no id `.` or `..` (``ofNewFeature()``).
///
/// 17 and "17" are the same id. The form that a client wrote is kept (``isWrittenAsText``) but
/// ignored in comparisons. Integers precede text and are ordered by value; text is ordered by its
/// UTF-8 bytes, because Swift's string comparison treats canonically equivalent text as equal.
public struct FeatureID: Sendable {
  /// The value that identifies the feature, whatever its form.
  public enum Key: Hashable, Sendable {
    /// An integer within ``FeatureID/integerRange``.
    case integer(Int64)
    /// Valid UTF-8 that isn't the canonical form of an integer in range.
    case text([UInt8])
  }

  /// The reason why a value isn't a valid id.
  public enum Invalid: Error, Sendable {
    /// The integer is beyond ±(2^53 − 1).
    case integerOutOfRange
    /// The number has a fraction, or isn't finite.
    case notAnInteger
    /// The text has no characters.
    case empty
    /// The text has more than 256 characters.
    case tooLong
    /// The text contains a control character (U+0000…U+001F, U+007F…U+009F).
    case controlCharacter
    /// The text is `.` or `..`, which clients take for a step to another path (RFC 3986, section 5.2.4).
    case pathStep

    /// A clause for error messages, such as "the id is empty".
    public var reason: String {
      switch self {
      case .integerOutOfRange: "the id is beyond ±(2^53−1)"
      case .notAnInteger: "the id is a number but not an integer"
      case .empty: "the id is empty"
      case .tooLong: "the id has more than 256 characters"
      case .controlCharacter: "the id holds a control character"
      case .pathStep: "the id is . or .., which in an address stands for another path"
      }
    }
  }

  /// The integers that a double holds exactly, −(2^53 − 1)…2^53 − 1.
  public static let integerRange: ClosedRange<Int64> =
    -9_007_199_254_740_991...9_007_199_254_740_991
  /// The longest text id in Unicode scalars.
  public static let maximumCharacters = 256

  /// The value that identifies the feature.
  public let key: Key
  /// Whether an integer was written as text ("17"). Always true for text ids.
  public let isWrittenAsText: Bool

  /// Creates an integer id.
  ///
  /// - Throws: ``Invalid/integerOutOfRange``.
  public init(integer: Int64, isWrittenAsText: Bool = false) throws(Invalid) {
    guard FeatureID.integerRange.contains(integer) else { throw .integerOutOfRange }
    self.key = .integer(integer)
    self.isWrittenAsText = isWrittenAsText
  }

  /// Creates an id from a JSON number: 1.0 is 1, whereas 1.5, infinities and NaN are refused.
  ///
  /// - Throws: ``Invalid/notAnInteger`` or ``Invalid/integerOutOfRange``.
  public init(number: Double) throws(Invalid) {
    guard number.isFinite, number.rounded(.towardZero) == number else { throw .notAnInteger }
    guard number.magnitude <= 9_007_199_254_740_991 else { throw .integerOutOfRange }
    try self.init(integer: Int64(number))
  }

  /// Creates an id from text in valid UTF-8. Text that is the canonical form of an integer in range
  /// ("17", not "017" or "-0") is that integer, written as text.
  ///
  /// - Throws: ``Invalid`` if the text is empty, too long, or has control characters.
  public init(text: some Collection<UInt8>) throws(Invalid) {
    if let integer = FeatureID.canonicalInteger(text) {
      self.key = .integer(integer)
    } else {
      try FeatureID.validate(text)
      self.key = .text(Array(text))
    }
    self.isWrittenAsText = true
  }

  /// Creates an id like ``init(text:)``. Not generic, because readers of large files call it.
  ///
  /// - Throws: ``Invalid`` as ``init(text:)`` does.
  public init(utf8 text: UnsafeRawBufferPointer) throws(Invalid) { try self.init(text: text) }

  /// Creates an id from a path segment or CSV field, like ``init(text:)`` except that a canonical
  /// integer counts as written as an integer.
  ///
  /// - Throws: ``Invalid`` as ``init(text:)`` does.
  public init(bareText text: some Collection<UInt8>) throws(Invalid) {
    key = try FeatureID(text: text).key
    isWrittenAsText = if case .text = key { true } else { false }
  }

  /// Creates an id like ``init(bareText:)``. Not generic, because readers of large files call it.
  ///
  /// - Throws: ``Invalid`` as ``init(text:)`` does.
  public init(bareUTF8 text: UnsafeRawBufferPointer) throws(Invalid) {
    try self.init(bareText: text)
  }

  /// The same id, if a feature that is sent may have it. Those that were stored earlier may have others.
  ///
  /// - Throws: ``Invalid/pathStep``.
  public func ofNewFeature() throws(Invalid) -> FeatureID {
    if case .text(let text) = key, text.count <= 2, text.allSatisfy({ $0 == UInt8(ascii: ".") }) {
      throw .pathStep
    }
    return self
  }

  /// Creates an id from values that were validated before they were stored.
  init(trustedKey: Key, isWrittenAsText: Bool) {
    self.key = trustedKey
    self.isWrittenAsText = isWrittenAsText
  }

  /// Returns the integer within ``integerRange`` whose canonical decimal form is `text`, if any.
  public static func canonicalInteger(_ text: some Collection<UInt8>) -> Int64? {
    // Nearly all text is contiguous. Slices of an unknown type would cost more than the digits.
    text.withContiguousStorageIfAvailable(canonicalInteger(of:))
      ?? Array(text).withUnsafeBufferPointer(canonicalInteger(of:))
  }

  private static func canonicalInteger(of text: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard (1...17).contains(text.count) else { return nil }
    let negative = text[0] == UInt8(ascii: "-")
    let digits = text.dropFirst(negative ? 1 : 0)
    guard let first = digits.first else { return nil }
    if first == UInt8(ascii: "0") { return digits.count == 1 && !negative ? 0 : nil }
    var value: Int64 = 0
    for byte in digits {
      guard byte.isDigit else { return nil }
      // At most 17 digits, so it can't overflow.
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    let signed = negative ? -value : value
    return integerRange.contains(signed) ? signed : nil
  }

  private static func validate(_ text: some Collection<UInt8>) throws(Invalid) {
    guard !text.isEmpty else { throw .empty }
    var characters = 0
    var previous: UInt8 = 0
    for byte in text {
      if byte & 0xC0 != 0x80 { characters += 1 }
      // U+0080…U+009F are encoded as C2 80…C2 9F.
      if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) {
        throw .controlCharacter
      }
      previous = byte
    }
    guard characters <= maximumCharacters else { throw .tooLong }
  }
}

extension FeatureID {
  /// Calls `body` with the id as it is stored in records, valid only during the call.
  ///
  /// - Throws: the error of `body`.
  public func withRawID<R, E: Error>(
    _ body: (FeatureRecord.RawID) throws(E) -> R
  ) throws(E) -> R {
    switch key {
    case .integer(let value): try body(.integer(value, writtenAsText: isWrittenAsText))
    case .text(let text):
      try text.withUnsafeBytes { bytes in
        Result { () throws(E) in try body(.text(bytes)) }
      }.get()
    }
  }
}

extension FeatureID: Hashable, Comparable {
  /// Compares the keys and ignores the form that was written.
  public static func == (a: FeatureID, b: FeatureID) -> Bool { a.key == b.key }

  /// Hashes the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// Orders integers by value before text by UTF-8.
  public static func < (a: FeatureID, b: FeatureID) -> Bool {
    switch (a.key, b.key) {
    case (.integer(let x), .integer(let y)): x < y
    case (.integer, .text): true
    case (.text, .integer): false
    case (.text(let x), .text(let y)): x.lexicographicallyPrecedes(y)
    }
  }
}

extension FeatureID: CustomStringConvertible {
  /// The id as text, without quotes.
  public var description: String {
    switch key {
    case .integer(let value): String(value)
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }
}
