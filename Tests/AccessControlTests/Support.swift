import AccessControl
import CCrypto
import Glibc
import TestSupport
import Testing
import Threading

/// Access control by two files, with a clock that stands still.
final class Files {
  let directory: TemporaryDirectory
  let now = Locked<Double>(1_300_000_000)

  init() throws { directory = try TemporaryDirectory() }

  func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  func write(_ name: String, _ text: String) throws {
    let file = try #require(fopen(path(name), "w"))
    defer { fclose(file) }
    #expect(fputs(text, file) >= 0)
  }

  /// What the files say.
  func control(
    keys: String? = nil, tokenKeys: String? = nil, audience: String? = nil
  ) throws -> AccessControl {
    var configuration = AccessControl.Configuration()
    configuration.audience = audience
    if let keys {
      configuration.keyFile = path("keys")
      try write("keys", keys)
    }
    if let tokenKeys {
      configuration.tokenKeyFile = path("token-keys")
      try write("token-keys", tokenKeys)
    }
    return try AccessControl(configuration) { [now] in now.withLock { $0 } }
  }

  /// Why files can't be used; nil if they can.
  func fault(keys: String? = nil, tokenKeys: String? = nil) throws -> String? {
    do {
      _ = try control(keys: keys, tokenKeys: tokenKeys)
      return nil
    } catch let error as AccessFileError {
      return error.reason
    }
  }
}

extension AccessControl {
  /// What a field Authorization is granted, with a look at signatures if need be.
  func grant(_ authorization: String?) throws(AccessFailure) -> Grant {
    if let known = try known(authorization) { return known.grant }
    return try verified(authorization).grant
  }

  /// Why a field Authorization is refused; nil if it isn't.
  func failure(_ authorization: String?) -> AccessFailure? {
    do throws(AccessFailure) {
      _ = try grant(authorization)
      return nil
    } catch {
      return error
    }
  }
}

/// Tokens.
enum Tokens {
  static let secret = "0123456789abcdef0123456789abcdef"

  static func base64URL(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = Array(bytes[start..<min(start + 3, bytes.count)])
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for digit in 0...part.count { text.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
    }
    return text
  }

  /// A token, signed with HS256 whatever its head says.
  static func token(
    _ claims: String, head: String = #"{"alg":"HS256"}"#, secret: String = secret
  ) -> String {
    let signed = "\(base64URL(Array(head.utf8))).\(base64URL(Array(claims.utf8)))"
    var code = [UInt8](repeating: 0, count: 32)
    let (key, data) = (Array(secret.utf8), Array(signed.utf8))
    _ = ccrypto_hmac_sha256(key, key.count, data, data.count, &code)
    return "Bearer \(signed).\(base64URL(code))"
  }
}
