internal import CSimdJSON

/// Queries about bytes of text.
enum JSONText {
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var start = 0
    var end = text.count
    while start < end, isSpace(text[start]) { start += 1 }
    while start < end, isSpace(text[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: text[start..<end])
  }

  /// Whether text is a JSON number (RFC 8259, section 6) of any magnitude.
  static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let base = text.baseAddress else { return false }
    return csj_is_number(base.assumingMemoryBound(to: CChar.self), text.count)
  }

  /// The value of a decimal number as a person may write it: JSON's grammar and also "+1", ".5", "5." and
  /// "007". Nil for other texts and for numbers that are not finite.
  static func decimal(_ text: UnsafeRawBufferPointer) -> Double? {
    guard text.first == UInt8(ascii: "+") else { return finite(text) }
    guard text.count > 1, text[1] != UInt8(ascii: "-") else { return nil }
    return finite(UnsafeRawBufferPointer(rebasing: text[1...]))
  }

  static func isFinite(_ number: UnsafeRawBufferPointer) -> Bool {
    // A shorter number is infinite only because of an exponent.
    if number.count < 300, !number.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      return true
    }
    return finite(number) != nil
  }

  static func isUTF8(_ text: UnsafeRawBufferPointer) -> Bool {
    csj_is_utf8(text.baseAddress, text.count)
  }

  /// The value of a decimal number as of csj_read_double(). Nil for other texts and for numbers that are
  /// not finite.
  static func finite(_ text: UnsafeRawBufferPointer) -> Double? {
    var value = 0.0
    guard let base = text.baseAddress,
      csj_read_double(base.assumingMemoryBound(to: CChar.self), text.count, &value)
    else { return nil }
    return value
  }
}
