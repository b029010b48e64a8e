internal import CCrypto
internal import Texts

/// The SHA-256 of a secret, by which it is known without being kept.
struct Digest: Hashable, Sendable {
  private let bytes: [UInt8]

  /// The digest of some bytes; nil if it can't be had, as without memory.
  init?(of secret: [UInt8]) {
    var digest = [UInt8](repeating: 0, count: Int(CCRYPTO_SHA256_SIZE))
    guard ccrypto_sha256(secret, secret.count, &digest) else { return nil }
    bytes = digest
  }

  /// Reads 64 hexadecimal digits.
  init?(hexadecimal text: String) {
    let values = text.utf8.compactMap({ $0.hexadecimalValue })
    guard values.count == 2 * Int(CCRYPTO_SHA256_SIZE), values.count == text.utf8.count else {
      return nil
    }
    bytes = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  /// Compares in a time that doesn't depend on what is equal.
  static func == (a: Digest, b: Digest) -> Bool {
    a.bytes.count == b.bytes.count && ccrypto_equal(a.bytes, b.bytes, a.bytes.count)
  }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
