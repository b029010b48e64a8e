internal import CCrypto
internal import Texts

/// A key that signatures of tokens are checked with.
///
/// `@unchecked Sendable`: libcrypto only reads the key, and it is freed with its last owner.
final class TokenKey: @unchecked Sendable {
  private enum Material {
    case secret([UInt8])
    /// Owned.
    case publicKey(OpaquePointer)
  }

  /// The one algorithm that the key is for, so that no token can have a public key taken for a
  /// secret.
  let algorithm: String
  /// Its name in tokens, if it has one.
  let name: String?
  private let material: Material

  /// The shortest secret, in bytes (RFC 7518, section 3.2).
  static let shortestSecret = 32
  /// The shortest RSA key, in bits (RFC 7518, section 3.3).
  private static let shortestRSA = 2048

  /// A secret for HS256.
  init(secret: [UInt8], name: String? = nil) throws(Fault) {
    guard secret.count >= TokenKey.shortestSecret else {
      throw Fault("a secret has fewer than \(TokenKey.shortestSecret) bytes")
    }
    (algorithm, self.name, material) = ("HS256", name, .secret(secret))
  }

  /// A public key, which this takes over.
  ///
  /// - Parameter key: from `ccrypto_key_from_…`.
  init(owning key: OpaquePointer?, name: String? = nil) throws(Fault) {
    guard let key else { throw Fault("a public key can't be read") }
    let algorithm: String? =
      switch ccrypto_key_kind(key) {
      case CCRYPTO_RSA: "RS256"
      case CCRYPTO_P256: "ES256"
      case CCRYPTO_ED25519: "EdDSA"
      default: nil
      }
    (self.algorithm, self.name, material) = (algorithm ?? "", name, .publicKey(key))
    guard algorithm != nil else {
      throw Fault("a public key is not of RSA, the curve P-256, or Ed25519")
    }
    guard algorithm != "RS256" || ccrypto_key_bits(key) >= TokenKey.shortestRSA else {
      throw Fault("an RSA key has fewer than \(TokenKey.shortestRSA) bits")
    }
  }

  deinit { if case .publicKey(let key) = material { ccrypto_key_free(key) } }

  /// Whether a token may name the key so: by its name, or by none, as it may have none.
  func mayBeNamed(_ name: String?) -> Bool {
    guard let name, let own = self.name else { return true }
    return own.isSame(as: name)
  }

  /// Whether a signature of some bytes was made with this key.
  func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
    switch material {
    case .publicKey(let key):
      return ccrypto_verify(key, bytes, bytes.count, signature, signature.count)
    case .secret(let secret):
      var code = [UInt8](repeating: 0, count: Int(CCRYPTO_SHA256_SIZE))
      return signature.count == code.count
        && ccrypto_hmac_sha256(secret, secret.count, bytes, bytes.count, &code)
        && ccrypto_equal(code, signature, code.count)
    }
  }
}
