extension JSONWriter {
  /// A string.
  @_disfavoredOverload  // a literal is static, and takes the shorter way
  public mutating func value(_ value: String) {
    var value = value
    value.withUTF8 { stringUTF8(UnsafeRawBufferPointer($0)) }
  }

  /// A string known at compile time.
  public mutating func value(_ value: StaticString) {
    value.withUTF8Buffer { stringUTF8(UnsafeRawBufferPointer($0)) }
  }

  /// A string from valid UTF-8. Quotes, backslashes and control characters are escaped.
  public mutating func stringUTF8(_ utf8: UnsafeRawBufferPointer) {
    separate()
    append(UInt8(ascii: "\""))
    appendEscaped(utf8)
    append(UInt8(ascii: "\""))
  }

  // MARK: Strings in parts, without a String

  /// Begins a string that consists of parts, which need no escapes.
  public mutating func beginString() {
    separate()
    append(UInt8(ascii: "\""))
  }

  /// A part of a string, as it is.
  public mutating func part(_ ascii: [UInt8]) { ascii.withUnsafeBytes { append($0) } }

  /// A part of a string, as it is.
  public mutating func part(_ ascii: StaticString) { literal(ascii) }

  /// An integer as part of a string.
  public mutating func part(_ integer: Int) { appendInteger(Int64(integer)) }

  /// Ends a string that consists of parts.
  public mutating func endString() { append(UInt8(ascii: "\"")) }

  /// The text of a string without its quotes.
  public mutating func appendEscaped(_ utf8: UnsafeRawBufferPointer) {
    var rest = utf8
    while true {
      let plain = JSONWriter.plainPrefix(rest)
      append(UnsafeRawBufferPointer(rebasing: rest[..<plain]))
      guard plain < rest.count else { return }
      appendEscape(rest[plain])
      rest = UnsafeRawBufferPointer(rebasing: rest[(plain + 1)...])
    }
  }

  private mutating func appendEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): literal("\\\"")
    case UInt8(ascii: "\\"): literal("\\\\")
    case 0x0A: literal("\\n")
    case 0x0D: literal("\\r")
    case 0x09: literal("\\t")
    case 0x08: literal("\\b")
    case 0x0C: literal("\\f")
    default:
      literal("\\u00")
      append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let low = byte & 0xF
      append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
    }
  }

  /// How many leading bytes need no escape. Eight bytes at a time: a byte of `suspects` has its
  /// high bit set where a byte is below 0x20, a quote or a backslash. (Borrows make false positives
  /// above a real one only, and the bytes are looked at one by one from there.)
  static func plainPrefix(_ utf8: UnsafeRawBufferPointer) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var index = 0
    while index + 8 <= utf8.count {
      let word = UInt64(littleEndian: utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let quotes = word ^ (ones &* 0x22)
      let backslashes = word ^ (ones &* 0x5C)
      let low = (word &- ones &* 0x20) & ~word
      let suspects = (low | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes))
      if suspects & highs != 0 { break }
      index += 8
    }
    while index < utf8.count {
      let byte = utf8[index]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { return index }
      index += 1
    }
    return index
  }
}
