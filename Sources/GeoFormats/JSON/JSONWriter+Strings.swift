extension JSONWriter {
  /// Writes a string.
  @_disfavoredOverload  // literals take the faster static overload
  public mutating func value(_ value: String) {
    var value = value
    value.withUTF8 { stringUTF8(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a string known at compile time.
  public mutating func value(_ value: StaticString) {
    value.withUTF8Buffer { stringUTF8(UnsafeRawBufferPointer($0)) }
  }

  /// Writes a string of valid UTF-8. Escapes quotes, backslashes and control characters.
  public mutating func stringUTF8(_ utf8: UnsafeRawBufferPointer) {
    separate()
    append(UInt8(ascii: "\""))
    appendEscaped(utf8)
    append(UInt8(ascii: "\""))
  }

  // MARK: Strings in parts

  /// Begins a string of parts, which must not need escapes.
  public mutating func beginString() {
    separate()
    append(UInt8(ascii: "\""))
  }

  /// Writes a part of a string verbatim.
  public mutating func part(_ ascii: [UInt8]) { ascii.withUnsafeBytes { append($0) } }

  /// Writes a part of a string verbatim.
  public mutating func part(_ ascii: StaticString) { literal(ascii) }

  /// Writes an integer as a part of a string.
  public mutating func part(_ integer: Int) { appendInteger(Int64(integer)) }

  /// Ends a string of parts.
  public mutating func endString() { append(UInt8(ascii: "\"")) }

  /// Writes the text of a string, escaped, without quotes.
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

  /// The number of leading bytes that need no escape. It looks at eight bytes at a time: the high bit of
  /// a byte of each mask is set if the byte is below 0x20, or a quote or backslash. Borrows cause false
  /// hits only above a real one, and from there on the bytes are looked at one by one.
  static func plainPrefix(_ utf8: UnsafeRawBufferPointer) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var index = 0
    while index + 8 <= utf8.count {
      let word = UInt64(littleEndian: utf8.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let low = (word &- ones &* 0x20) & ~word & (ones &* 0x80)
      if low | JSONScanner.quotesAndBackslashes(word) != 0 { break }
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
