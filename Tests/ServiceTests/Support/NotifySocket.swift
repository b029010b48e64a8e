import Glibc
import TestSupport
import Testing

/// The socket on which a service manager listens, as systemd's NOTIFY_SOCKET.
final class NotifySocket {
  private let descriptor: Int32
  /// The value of NOTIFY_SOCKET.
  let name: String

  /// Listens on a path, or on a name without a file if it begins with @.
  init(_ name: String) throws {
    self.name = name
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: name.utf8)
      if name.hasPrefix("@") { path[0] = 0 }
    }
    let length = socklen_t(2 + name.utf8.count)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(result == 0)
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// The lines of the next message, within 30 seconds.
  func next() throws -> [String] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    try #require(count > 0, "no message: \(String(cString: strerror(errno)))")
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The first message with a line, of those that come.
  func message(with line: String) throws -> [String] {
    for _ in 0..<100 {
      let message = try next()
      if message.contains(line) { return message }
    }
    Issue.record("no \(line)")
    return []
  }
}
