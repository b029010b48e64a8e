/// Who sent a request, as far as a key or token says, and what is granted to them.
public struct Principal: Sendable {
  /// What is granted.
  public let grant: Grant

  /// By what they are known.
  enum Holder: Sendable {
    /// By nothing.
    case nobody
    case key(Digest)
    /// By what is signed of a token that was checked with the keys of a generation, and when it expires.
    case token(Digest, generation: Int, expires: Double)
  }

  let holder: Holder

  /// Somebody who is known by nothing.
  public init(grant: Grant) { (self.grant, holder) = (grant, .nobody) }

  init(grant: Grant, holder: Holder) { (self.grant, self.holder) = (grant, holder) }

  /// Whether nobody has to say who they are.
  public static let unchecked = Principal(grant: .everything, holder: .nobody)

  /// What tells apart those whose requests are counted.
  var digest: Digest? {
    switch holder {
    case .nobody: nil
    case .key(let digest), .token(let digest, _, _): digest
    }
  }
}
