/// The method of a request. A method that HTTP servers do not commonly know is ``other``.
public enum HTTPMethod: Sendable, Hashable {
  case get, head, post, put, delete, options, patch, trace, connect, other
}

extension HTTPMethod: CustomStringConvertible {
  /// The method as it stands in a request line; `OTHER` for ``other``.
  public var description: String {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .patch: "PATCH"
    case .trace: "TRACE"
    case .connect: "CONNECT"
    case .other: "OTHER"
    }
  }
}
