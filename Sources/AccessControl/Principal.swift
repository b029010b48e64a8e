/// The sender of a request, by its key or token, with its grant.
public struct Principal: Sendable {
  /// The rights.
  public let grant: Grant

  /// The identity.
  enum Holder: Sendable {
    /// None.
    case nobody
    case key(Digest)
    /// The digest of a token's signed part, the generation of keys that it was checked with, and its
    /// expiry.
    case token(Digest, generation: Int, expires: Double)
  }

  let holder: Holder

  /// A principal without an identity.
  public init(grant: Grant) { (self.grant, holder) = (grant, .nobody) }

  init(grant: Grant, holder: Holder) { (self.grant, self.holder) = (grant, holder) }

  /// The principal of every request where no keys are needed.
  public static let unchecked = Principal(grant: .everything, holder: .nobody)

  /// The identity by which requests are counted.
  var digest: Digest? {
    switch holder {
    case .nobody: nil
    case .key(let digest), .token(let digest, _, _): digest
    }
  }
}
