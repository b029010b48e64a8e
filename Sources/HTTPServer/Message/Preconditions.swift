/// The conditions that a client sets for a write (RFC 9110, section 13.1): that nobody else has changed
/// or created the resource in the meantime.
public struct Preconditions: Sendable {
  /// The states of a resource that a field names.
  public enum Tags: Sendable {
    /// All of them: the resource exists.
    case any
    /// Those with some entity tags, without quotes. The tag of a gzip response names the same state as the one that it
    /// was made of, so both are there.
    case listed([[UInt8]])
  }

  /// The states of which the resource must be in one; nil if it may be in any, or not exist.
  public let match: Tags?
  /// The states in which it must not be.
  public let noneMatch: Tags?

  /// The conditions of a request.
  public init(_ request: HTTPRequest) {
    match = Preconditions.tags(request.headers, "If-Match", weak: false)
    noneMatch = Preconditions.tags(request.headers, "If-None-Match", weak: true)
  }

  private static func tags(_ headers: HTTPHeaders, _ name: String, weak: Bool) -> Tags? {
    headers.withBytes(of: name) { field in
      if EntityTag.isAny(field) { return .any }
      var tags: [[UInt8]] = []
      EntityTag.forEach(in: field, weak: weak) { tag in
        tags.append(Array(tag))
        let suffix = EntityTag.gzipSuffix.utf8
        if tag.suffix(suffix.count).elementsEqual(suffix) {
          tags.append(Array(tag.dropLast(suffix.count)))
        }
      }
      return .listed(tags)
    }
  }
}
