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

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    let file = try #require(fopen(path(name), "w"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
  }

  /// What the files say.
  func control(
    keys: String? = nil, tokenKeys: String? = nil, audience: String? = nil
  ) throws -> AccessControl {
    try control(keys: keys, tokenKeys: tokenKeys.map { Array($0.utf8) }, audience: audience)
  }

  /// The same, with any bytes.
  func control(
    keys: String? = nil, tokenKeys: [UInt8]?, audience: String? = nil
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

  /// A token, signed with HS256 whatever its head says.
  static func token(
    _ claims: String, head: String = #"{"alg":"HS256"}"#, secret: String = secret
  ) -> String {
    let signed = [head, claims].map { TestBase64URL.encode(Array($0.utf8)) }.joined(separator: ".")
    var code = [UInt8](repeating: 0, count: 32)
    let (key, data) = (Array(secret.utf8), Array(signed.utf8))
    _ = ccrypto_hmac_sha256(key, key.count, data, data.count, &code)
    return "Bearer \(signed).\(TestBase64URL.encode(code))"
  }
}
