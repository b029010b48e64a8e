internal import GeoFormats
internal import Texts

/// A JSON Web Token (RFC 7519) whose signature and claims were found to be right.
struct Token {
  /// Its grant.
  let grant: Grant
  /// When it expires, in seconds since 1970 (UTC); infinite if it doesn't.
  let expires: Double

  /// The longest token, in bytes.
  static let longest = 8192
  /// The reason why one is refused whose time is over.
  static let expired = "it has expired"

  /// Whether a text has the form of a token.
  static func isOne(_ text: [UInt8]) -> Bool { text.count { $0 == UInt8(ascii: ".") } == 2 }

  /// Checks a token.
  ///
  /// - Parameters:
  ///   - audience: the name of the service in tokens.
  ///   - isAudienceNeeded: whether tokens without an audience are refused.
  ///   - now: the seconds since 1970 (UTC).
  /// - Throws: ``AccessFailure/token(_:)``.
  init(
    _ text: [UInt8], keys: [TokenKey], audience: String, isAudienceNeeded: Bool, now: Double
  ) throws(AccessFailure) {
    guard text.count <= Token.longest else { throw .token("it is too long") }
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let head = Base64URL.decode(parts[0]),
      let body = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
    else { throw .token("it is not of the form of a JSON Web Token") }
    try Token.check(signature, of: Array(parts[0] + [UInt8(ascii: ".")] + parts[1]), head, keys)
    self = try Token.readingJSON(body) { reader throws(Fault) in
      // A token is invalid before its time and after it.
      let expires = try reader.number("exp") ?? .infinity
      guard now < expires else { throw Fault(Token.expired) }
      guard try reader.number("nbf") ?? -.infinity <= now else {
        throw Fault("it is not valid yet")
      }
      let audiences = try reader.texts("aud")
      guard audiences.map({ $0.contains { $0.isSame(as: audience) } }) ?? !isAudienceNeeded else {
        throw Fault("it is for another audience")
      }
      let names = try reader.text("scope")?.parts(separatedBy: UInt8(ascii: " ")) ?? []
      guard let scope = names.compactMap({ AccessScope(name: $0) }).max() else {
        throw Fault("its scope has none of read, write and admin")
      }
      var filters = KnownFilters()
      return Token(try reader.grant(scope, &filters), expires)
    }
  }

  private init(_ grant: Grant, _ expires: Double) { (self.grant, self.expires) = (grant, expires) }

  private static func check(
    _ signature: [UInt8], of signed: [UInt8], _ head: [UInt8], _ keys: [TokenKey]
  ) throws(AccessFailure) {
    let (algorithm, name) = try readingJSON(head) { reader throws(Fault) in
      // Nothing that must be understood is.
      guard !reader.has("crit") else { throw Fault("it has extensions that are unknown here") }
      return (try reader.text("alg"), try reader.text("kid"))
    }
    let isSigned = keys.contains { key in
      algorithm.map { key.algorithm.isSame(as: $0) } == true && key.mayBeNamed(name)
        && key.verifies(signature, of: signed)
    }
    guard isSigned else { throw .token("its signature is not of a key that is known here") }
  }

  private static func readingJSON<R>(
    _ bytes: [UInt8], _ read: (GrantReader) throws(Fault) -> R
  ) throws(AccessFailure) -> R {
    let parser = JSONParser(maximumDepth: 200)
    let object: JSONValue
    do throws(JSONError) {
      object = try parser.parse(bytes)
    } catch {
      throw .token("it is not of JSON")
    }
    do throws(Fault) {
      return try read(try GrantReader(object))
    } catch {
      throw .token(error.reason)
    }
  }
}
