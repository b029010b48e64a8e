/// The reason why a request got no response.
public enum HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The URL is not `http://host[:port][/path]`.
  case badURL(String)
  /// The scheme is https; the client does not support TLS.
  case unsupportedScheme(String)
  /// The method, path or a header field cannot be sent.
  case badRequest(String)
  /// The server cannot be reached.
  case unreachable(String)
  /// The server did not answer in time.
  case timeout(String)
  /// The connection was lost, or the response is not HTTP.
  case broken(String)

  /// One line for the operator.
  public var description: String {
    switch self {
    case .badURL(let url): "'\(url)' is not a URL of the form http://host[:port]"
    case .unsupportedScheme(let url): "'\(url)': only http:// is supported, not https://"
    case .badRequest(let why): "cannot send the request: \(why)"
    case .unreachable(let server): "cannot connect to \(server)"
    case .timeout(let server): "\(server) did not answer in time"
    case .broken(let server): "\(server) closed the connection without an answer"
    }
  }
}
