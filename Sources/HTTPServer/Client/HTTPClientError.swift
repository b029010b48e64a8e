/// The reason why a request got no response.
public enum HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The URL is not `http://host[:port][/path]` or `https://host[:port][/path]`.
  case badURL(String)
  /// The method, path or a header field cannot be sent.
  case badRequest(String)
  /// The server cannot be reached.
  case unreachable(String)
  /// The server did not answer in time.
  case timeout(String)
  /// TLS failed, as the server isn't trusted or refuses the client.
  case insecure(String, reason: String)
  /// The connection was lost, or the response is not HTTP.
  case broken(String)

  /// One line for the operator.
  public var description: String {
    switch self {
    case .badURL(let url):
      "'\(url)' is not a URL of the form http://host[:port] or https://host[:port]"
    case .badRequest(let why): "cannot send the request: \(why)"
    case .unreachable(let server): "cannot connect to \(server)"
    case .timeout(let server): "\(server) did not answer in time"
    case .insecure(let server, let reason): "cannot connect to \(server) by TLS: \(reason)"
    case .broken(let server): "\(server) closed the connection without an answer"
    }
  }
}
