/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5).
enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    var (buffer, bits) = (0, 0)
    for byte in bytes {
      buffer = (buffer << 8 | Int(byte)) & 0xFFFF
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[buffer >> bits & 63])
      }
    }
    if bits > 0 { text.append(alphabet[buffer << (6 - bits) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  static func decode(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (buffer, bits) = (0, 0)
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      buffer = (buffer << 6 | value) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(buffer >> bits & 0xFF))
      }
    }
    return bytes
  }
}
