/// The method of a request. Its raw value is the word in the request line.
public enum HTTPMethod: String, Sendable, CaseIterable, CustomStringConvertible {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case delete = "DELETE"
  case options = "OPTIONS"
  case patch = "PATCH"
  case trace = "TRACE"
  case connect = "CONNECT"
  /// Any other method.
  case other = "OTHER"

  /// The word in the request line; `OTHER` for ``other``.
  public var description: String { rawValue }
}
