import Glibc

/// A faster way to a property where it can be gone: in an object's text without a backslash and
/// without an object in it, as most are. There each quote begins or ends a string, so a name in
/// quotes before a colon is a member's, and is found by its bytes.
enum PlainProperties {
  /// Whether ``value(of:in:)`` can be asked.
  ///
  /// A name that begins with what can follow on a string could be found between two strings; one with
  /// a quote, across several.
  @inline(__always)
  static func canFind(_ name: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer) -> Bool {
    switch name.first {
    case nil, UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"):
      return false
    default: break
    }
    return text.count >= 8 && !contains(name, UInt8(ascii: "\""))
      && !contains(text, UInt8(ascii: "\\"))
      && !contains(UnsafeRawBufferPointer(rebasing: text[1...]), UInt8(ascii: "{"))
  }

  /// The text of the value of the last member with a name; nil if there is none.
  static func value(
    of name: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer? {
    let length = name.count + 3
    // Even the shortest value and a brace follow.
    guard text.count >= length + 2 else { return nil }
    let (pattern, mask) = beginning(of: name)
    var start = text.count - length - 2
    // The last places have fewer than eight bytes to look at, if the name is very short.
    while start + 8 > text.count {
      if isMember(name, text, start) { return value(text, start + length) }
      start -= 1
    }
    while start > 0 {
      let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: start, as: UInt64.self))
      if word & mask == pattern, isMember(name, text, start) {
        return value(text, start + length)
      }
      start -= 1
    }
    return nil
  }

  /// The first eight bytes of the name with its first quote, the first of them the lowest, and the
  /// bits that they take.
  @inline(__always)
  private static func beginning(
    of name: UnsafeRawBufferPointer
  ) -> (pattern: UInt64, mask: UInt64) {
    var pattern = UInt64(UInt8(ascii: "\""))
    let count = min(name.count, 7)
    for index in 0..<count { pattern |= UInt64(name[index]) << UInt64(8 * (index + 1)) }
    return (pattern, .max >> UInt64(8 * (7 - count)))
  }

  private static func isMember(
    _ name: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, _ start: Int
  ) -> Bool {
    let end = start + 1 + name.count
    return text[start] == UInt8(ascii: "\"") && text[end] == UInt8(ascii: "\"")
      && text[end + 1] == UInt8(ascii: ":")
      && equalBytes(UnsafeRawBufferPointer(rebasing: text[(start + 1)..<end]), name)
  }

  private static func value(
    _ text: UnsafeRawBufferPointer, _ start: Int
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[start..<JSONScanner.endOfValue(text, from: start)])
  }

  @inline(__always)
  private static func contains(_ text: UnsafeRawBufferPointer, _ byte: UInt8) -> Bool {
    text.baseAddress.map { memchr($0, Int32(byte), text.count) != nil } ?? false
  }
}
