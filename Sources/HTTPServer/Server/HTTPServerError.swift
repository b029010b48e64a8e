import Glibc

/// Why a server cannot listen. ``description`` is one line for the operator.
public enum HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Something listens there already.
  case portInUse(host: String, port: Int)
  /// The port is not in 0...65535.
  case badPort(Int)
  /// The host cannot be resolved, or is not an address of this machine.
  case badHost(host: String, reason: String)
  /// The process may not listen there.
  case permissionDenied(host: String, port: Int)
  /// Anything else that the system refused.
  case system(operation: String, reason: String)

  /// One line that says what is wrong.
  public var description: String {
    switch self {
    case .portInUse(let host, let port): "cannot listen on \(host):\(port): the port is in use"
    case .badPort(let port): "cannot listen on port \(port): a port is 0 to 65535"
    case .badHost(let host, let reason): "cannot listen on host '\(host)': \(reason)"
    case .permissionDenied(let host, let port):
      "cannot listen on \(host):\(port): permission denied"
    case .system(let operation, let reason): "\(operation): \(reason)"
    }
  }

  /// The error for what the shim's ceh_listen() left in errno and `resolveError`.
  static func listening(
    host: String, port: Int, errno code: Int32, resolveError: Int32
  ) -> HTTPServerError {
    if resolveError != 0 {
      return .badHost(host: host, reason: String(cString: gai_strerror(resolveError)))
    }
    switch code {
    case EADDRINUSE: return .portInUse(host: host, port: port)
    case EACCES, EPERM: return .permissionDenied(host: host, port: port)
    case EADDRNOTAVAIL: return .badHost(host: host, reason: "not an address of this machine")
    default:
      return .system(
        operation: "cannot listen on \(host):\(port)", reason: String(cString: strerror(code)))
    }
  }
}
