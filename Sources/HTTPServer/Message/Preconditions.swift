/// The conditions under which a client wants a write to be carried out (RFC 9110, section 13.1): that
/// nobody else has changed the resource meanwhile, or made it.
public struct Preconditions: Sendable {
  private enum Tags {
    case absent, any
    case listed([String])

    func contains(_ current: String) -> Bool {
      switch self {
      case .absent: false
      case .any: true
      // A gzip answer's tag names the same state.
      case .listed(let tags):
        tags.contains(current) || tags.contains(current + EntityTag.gzipSuffix)
      }
    }
  }

  private let match: Tags
  private let noneMatch: Tags

  /// The conditions of a request.
  public init(_ request: HTTPRequest) {
    match = Preconditions.tags(request.headers["If-Match"], weak: false)
    noneMatch = Preconditions.tags(request.headers["If-None-Match"], weak: true)
  }

  private static func tags(_ field: String?, weak: Bool) -> Tags {
    guard let field else { return .absent }
    let tags = EntityTag.list(field, weak: weak)
    return tags == ["*"] ? .any : .listed(tags.map(String.init))
  }

  /// Whether there is any.
  public var isEmpty: Bool {
    if case .absent = match, case .absent = noneMatch { true } else { false }
  }

  /// Whether they are met.
  ///
  /// - Parameter current: the resource's entity tag without quotes; nil where it isn't there.
  public func isMet(by current: String?) -> Bool {
    if case .absent = match {
    } else {
      guard let current, match.contains(current) else { return false }
    }
    return current.map { !noneMatch.contains($0) } ?? true
  }
}
