internal import Texts

/// The conditions that a client sets for a write (RFC 9110, section 13.1): that nobody else has changed
/// or created the resource in the meantime.
public struct Preconditions: Sendable {
  private enum Tags {
    case absent, any
    case listed([String])

    func contains(_ current: String) -> Bool {
      switch self {
      case .absent: false
      case .any: true
      // The tag of a gzip response names the same state.
      case .listed(let tags):
        tags.contains { $0.isSame(as: current) || EntityTag.isGzip($0, of: current) }
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
    // No other list has this as a tag.
    let isAny = tags.count == 1 && tags[0].isSame(as: "*")
    return isAny ? .any : .listed(tags.map(String.init))
  }

  /// Whether the request sets no conditions.
  public var isEmpty: Bool {
    if case .absent = match, case .absent = noneMatch { true } else { false }
  }

  /// Whether the conditions are met.
  ///
  /// - Parameter current: the entity tag of the resource without quotes; nil if it does not exist.
  public func isMet(by current: String?) -> Bool {
    if case .absent = match {
    } else {
      guard let current, match.contains(current) else { return false }
    }
    return current.map { !noneMatch.contains($0) } ?? true
  }
}
