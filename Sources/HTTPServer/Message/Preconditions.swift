import Texts

/// The conditions that a client sets for a write (RFC 9110, section 13.1): that nobody else has changed
/// or created the resource in the meantime.
public struct Preconditions: Sendable {
  private enum Tags {
    case absent, any
    case listed([[UInt8]])

    func contains(_ current: String) -> Bool {
      switch self {
      case .absent: false
      case .any: true
      // The tag of a gzip response names the same state.
      case .listed(let tags):
        tags.contains { tag in
          tag.withUnsafeBufferPointer { EntityTag.match($0, of: current) != .none }
        }
      }
    }
  }

  private let match: Tags
  private let noneMatch: Tags

  /// The conditions of a request.
  public init(_ request: HTTPRequest) {
    match = Preconditions.tags(request.headers, "If-Match", weak: false)
    noneMatch = Preconditions.tags(request.headers, "If-None-Match", weak: true)
  }

  private static func tags(_ headers: HTTPHeaders, _ name: String, weak: Bool) -> Tags {
    headers.withBytes(of: name) { field in
      if EntityTag.isAny(field) { return .any }
      var tags: [[UInt8]] = []
      EntityTag.forEach(in: field, weak: weak) { tags.append(Array($0)) }
      return .listed(tags)
    } ?? .absent
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
