import AccessControl
import CCrypto
import TestSupport

/// Files of keys, and tokens: errors tell no secret, what is a key opens, and nothing else does.
final class FuzzAccess: Sendable {
  /// Checks tokens, of which none was ever signed but by inputs.
  static let shared = FuzzAccess()

  private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)
  private static let head = Array("eyJhbGciOiJIUzI1NiJ9".utf8)
  private let access: AccessControl?

  private init() {
    var configuration = AccessControl.Configuration()
    configuration.tokenKeyFile = try? FuzzFiles.write(FuzzAccess.secret, to: "secret")
    access = try? AccessControl(configuration) { 1_300_000_000 }
    precondition(access != nil)
  }

  static func feed(keyFile input: UnsafeRawBufferPointer) throws {
    var configuration = AccessControl.Configuration()
    configuration.keyFile = try FuzzFiles.write(input, to: "keys")
    let keys = input.split(separator: 0x0A).compactMap { line in
      let parts = line.split(separator: 0x3A, maxSplits: 1)
      let isKey =
        parts.count == 2 && ["read", "write", "admin"].contains { parts[0].elementsEqual($0.utf8) }
      return isKey ? String(decoding: parts[1].filter { $0 > 0x20 }, as: UTF8.self) : nil
    }
    do {
      let access = try AccessControl(configuration)
      for key in keys {
        let isKnown = (try? access.known("Bearer \(key)")) != nil
        try FuzzFinding.unless(isKnown, "a key of the file is not known")
      }
    } catch let error as AccessFileError {
      for key in keys where key.utf8.count >= 10 {
        try FuzzFinding.unless(!error.reason.contains(key), "an error tells a key: \(error)")
      }
    }
  }

  static func feed(tokenKeyFile input: UnsafeRawBufferPointer) throws {
    var configuration = AccessControl.Configuration()
    configuration.tokenKeyFile = try FuzzFiles.write(input, to: "token-keys")
    guard let access = try? AccessControl(configuration) else { return }
    try FuzzFinding.unless(access.counts.tokenKeys > 0, "a file without a key is taken")
    let isTaken = (try? access.verified("Bearer eyJhbGciOiJIUzI1NiJ9.e30.AAAA")) != nil
    try FuzzFinding.unless(!isTaken, "a token without a signature is taken")
  }

  /// A token, or claims to be signed.
  func feed(token input: UnsafeRawBufferPointer) throws {
    guard let access else { return }
    if input.first == UInt8(ascii: "{") {
      let signed = FuzzAccess.head + [0x2E] + Array(TestBase64URL.encode(Array(input)).utf8)
      let token = String(decoding: signed, as: UTF8.self) + ".\(FuzzAccess.code(of: signed))"
      guard let principal = try? access.verified("Bearer \(token)") else { return }
      try FuzzFinding.unless(access.isValid(principal), "a token is taken that isn't valid")
      return
    }
    let parts = input.split(separator: 0x2E, omittingEmptySubsequences: false)
    let text = String(decoding: input, as: UTF8.self)
    _ = try? access.known("Bearer \(text)")
    guard (try? access.verified("Bearer \(text)")) != nil else { return }
    let right = FuzzAccess.code(of: Array(parts[0] + [0x2E] + parts[1]))
    try FuzzFinding.unless(
      parts.count == 3 && parts[2].elementsEqual(right.utf8), "a forged token is taken")
  }

  private static func code(of signed: [UInt8]) -> String {
    var code = [UInt8](repeating: 0, count: 32)
    _ = ccrypto_hmac_sha256(secret, secret.count, signed, signed.count, &code)
    return TestBase64URL.encode(code)
  }
}
