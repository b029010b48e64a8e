internal import CSimdJSON

/// Questions about bytes of text.
enum JSONText {
  /// Whether a byte is white space to JSON.
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Text without JSON's white space at both ends.
  static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var start = 0
    var end = text.count
    while start < end, isSpace(text[start]) { start += 1 }
    while start < end, isSpace(text[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: text[start..<end])
  }

  /// Whether text is a JSON number (RFC 8259, section 6), of any magnitude.
  static func isNumber(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = text.first, first == UInt8(ascii: "-") || isDigit(first) else { return false }
    let start = first == UInt8(ascii: "-") ? 1 : 0
    let whole = digits(text, from: start)
    guard whole == 1 || (whole > 1 && text[start] != UInt8(ascii: "0")) else { return false }
    var index = start + whole
    if index < text.count, text[index] == UInt8(ascii: ".") {
      let fraction = digits(text, from: index + 1)
      guard fraction > 0 else { return false }
      index += 1 + fraction
    }
    return index == text.count || isExponent(text, from: index)
  }

  /// The value of a decimal number that a person may have typed: JSON's grammar, and "+1", ".5",
  /// "5.", "007"; nil if it isn't one, or not finite.
  static func decimal(_ text: UnsafeRawBufferPointer) -> Double? {
    guard let first = text.first else { return nil }
    let start = first == UInt8(ascii: "-") || first == UInt8(ascii: "+") ? 1 : 0
    let whole = digits(text, from: start)
    var index = start + whole
    var fraction = 0
    if index < text.count, text[index] == UInt8(ascii: ".") {
      fraction = digits(text, from: index + 1)
      index += 1 + fraction
    }
    guard whole + fraction > 0, index == text.count || isExponent(text, from: index) else {
      return nil
    }
    let skipped = first == UInt8(ascii: "+") ? 1 : 0
    return finite(UnsafeRawBufferPointer(rebasing: text[skipped...]))
  }

  /// Whether a JSON number is finite as a double.
  static func isFinite(_ number: UnsafeRawBufferPointer) -> Bool {
    // Below 300 digits only an exponent makes it infinite.
    if number.count < 300, !number.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) {
      return true
    }
    return finite(number) != nil
  }

  /// Whether text is valid UTF-8.
  static func isUTF8(_ text: UnsafeRawBufferPointer) -> Bool {
    csj_is_utf8(text.baseAddress, text.count)
  }

  /// The value of a decimal number; nil if it isn't one or not finite.
  static func finite(_ text: UnsafeRawBufferPointer) -> Double? {
    var value = 0.0
    guard let base = text.baseAddress,
      csj_read_double(base.assumingMemoryBound(to: CChar.self), text.count, &value)
    else { return nil }
    return value
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func digits(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < text.count, isDigit(text[index]) { index += 1 }
    return index - start
  }

  /// Whether the rest of a text is an exponent.
  private static func isExponent(_ text: UnsafeRawBufferPointer, from start: Int) -> Bool {
    guard text[start] | 0x20 == UInt8(ascii: "e") else { return false }
    var index = start + 1
    if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
      index += 1
    }
    let count = digits(text, from: index)
    return count > 0 && index + count == text.count
  }
}
