/// Why a request got no answer. ``description`` is one line for the operator.
public enum HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The URL is not `http://host[:port][/path]`.
  case badURL(String)
  /// TLS is not spoken here.
  case unsupportedScheme(String)
  /// The request cannot be put into words: its method or a header field.
  case badRequest(String)
  /// No connection to the server.
  case unreachable(String)
  /// No answer in time.
  case timeout(String)
  /// The connection was lost, or what came back is not HTTP.
  case broken(String)

  /// One line that says what is wrong.
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
