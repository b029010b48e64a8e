/// The characters of names without double quotes: CQL2's identifierStart and identifierPart.
enum CQL2Name {
  /// The length in bytes of the code point at an index if a name may begin with it, otherwise 0.
  static func start(_ text: [UInt8], at index: Int) -> Int {
    let byte = text[index]
    if byte < 0x80 {
      let letter = byte | 0x20
      let isLetter = letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z")
      return isLetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") ? 1 : 0
    }
    let (scalar, length) = codePoint(text, at: index)
    return starts.contains { $0.contains(scalar) } ? length : 0
  }

  /// The length in bytes of the code point at an index if a name may contain it, otherwise 0.
  static func part(_ text: [UInt8], at index: Int) -> Int {
    let byte = text[index]
    if byte == UInt8(ascii: ".") || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) {
      return 1
    }
    let length = start(text, at: index)
    if length > 0 || byte < 0x80 { return length }
    let (scalar, size) = codePoint(text, at: index)
    return parts.contains { $0.contains(scalar) } ? size : 0
  }

  private static let starts: [ClosedRange<UInt32>] = [
    0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFE, 0x200C...0x200D,
    0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
    0x10000...0xEFFFF,
  ]

  private static let parts: [ClosedRange<UInt32>] = [0x300...0x36F, 0x203F...0x2040]

  /// The code point at an index of valid UTF-8, and its length in bytes.
  private static func codePoint(_ text: [UInt8], at index: Int) -> (UInt32, Int) {
    let first = UInt32(text[index])
    let length = first >= 0xF0 ? 4 : (first >= 0xE0 ? 3 : 2)
    var scalar = first & (0x7F >> UInt32(length))
    for byte in text[(index + 1)..<min(index + length, text.count)] {
      scalar = scalar << 6 | UInt32(byte & 0x3F)
    }
    return (scalar, length)
  }
}
