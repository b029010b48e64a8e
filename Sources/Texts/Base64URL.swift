/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5), as ids of annotations and tokens have it.
public enum Base64URL {
  @usableFromInline static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  /// The number of each character of the alphabet; 64 for other bytes.
  @usableFromInline static let numbers = (0...UInt8.max).map { byte in
    UInt32(alphabet.firstIndex(of: byte) ?? 64)
  }

  /// The text for some bytes.
  @inlinable
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
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

  /// The bytes of a text; nil if it isn't in that form to the last bit.
  @inlinable
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for character in text {
      let number = numbers[Int(character)]
      guard number < 64 else { return nil }
      bits = bits << 6 | number
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(bits >> count))
      bits &= 1 << count - 1
    }
    // The rest must be less than six zero bits.
    return count < 6 && bits == 0 ? bytes : nil
  }
}
