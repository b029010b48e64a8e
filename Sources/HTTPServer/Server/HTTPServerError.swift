import Glibc

/// The reason why a server cannot listen or start.
public enum HTTPServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Another socket listens on the port.
  case portInUse(host: String, port: Int)
  /// The port is not in 0...65535.
  case badPort(Int)
  /// The host cannot be resolved or is not an address of this machine.
  case badHost(host: String, reason: String)
  /// The process may not listen on the port.
  case permissionDenied(host: String, port: Int)
  /// The system refused another operation.
  case system(operation: String, reason: String)

  /// One line for the operator.
  public var description: String {
    switch self {
    case .portInUse(let host, let port): "cannot listen on \(host):\(port): the port is in use"
    case .badPort(let port): "cannot listen on port \(port): ports are 0 to 65535"
    case .badHost(let host, let reason): "cannot listen on host '\(host)': \(reason)"
    case .permissionDenied(let host, let port):
      "cannot listen on \(host):\(port): permission denied"
    case .system(let operation, let reason): "\(operation): \(reason)"
    }
  }

  /// The error for the errno and `resolveError` of the shim's ceh_listen().
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
