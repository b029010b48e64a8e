/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5), as tokens have it.
public enum TestBase64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

  /// The text of some bytes.
  public static func encode(_ bytes: [UInt8]) -> String {
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = Array(bytes[start..<min(start + 3, bytes.count)])
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for digit in 0...part.count { text.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
    }
    return text
  }
}
