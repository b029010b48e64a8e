import Glibc

/// A persistent connection to a service on 127.0.0.1. It does as little as possible, so that measuring
/// takes little from what is measured.
final class Connection {
  /// For poll(2).
  let socket: Int32
  private var buffer = [UInt8](repeating: 0, count: 1 << 20)
  private var filled = 0

  init(port: UInt16) throws(Failure) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var one: Int32 = 1
    setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    let descriptor = socket
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try ensure(
      result == 0, "nothing listens on port \(port): \(String(cString: strerror(errno)))")
  }

  deinit { close(socket) }

  /// Sends a request, which fits in the socket's buffer.
  func send(_ method: String, _ path: String, _ body: [UInt8]? = nil) throws(Failure) {
    var request = Array("\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n".utf8)
    if let body {
      request += "Content-Type: application/geo+json\r\nContent-Length: \(body.count)\r\n\r\n".utf8
      request += body
    } else {
      request += "\r\n".utf8
    }
    var sent = 0
    while sent < request.count {
      let count = request.withUnsafeBytes {
        Glibc.send(
          socket, $0.baseAddress.map { $0 + sent }, request.count - sent, Int32(MSG_NOSIGNAL))
      }
      try ensure(count > 0, "the service has closed a connection")
      sent += count
    }
  }

  /// The status and body of a response.
  struct Answer {
    var status: Int
    var body: ArraySlice<UInt8>
  }

  /// Reads once, waiting for bytes if there are none. Returns the response if it is complete.
  func receive() throws(Failure) -> Answer? {
    if filled == buffer.count {
      buffer.append(contentsOf: repeatElement(0, count: buffer.count))
    }
    let start = filled
    let count = buffer.withUnsafeMutableBytes {
      recv(socket, $0.baseAddress.map { $0 + start }, $0.count - start, 0)
    }
    try ensure(count > 0, "the service has closed a connection")
    filled += count
    let all = buffer[..<filled]
    guard let head = all.firstIndex(of: "\r\n\r\n") else { return nil }
    let status = all[9..<12].reduce(0) { $0 * 10 + Int($1) - 0x30 }
    let length = all[..<head].firstIndex(of: "Content-Length: ").map { all.integer(at: $0 + 16) }
    let end = head + 4 + (length ?? 0)
    guard filled >= end else { return nil }
    filled = 0
    return Answer(status: status, body: all[(head + 4)..<end])
  }

  /// Sends a request and waits for its response, which must be a 2xx.
  func ask(_ method: String, _ path: String, _ body: [UInt8]? = nil) throws(Failure) -> Answer {
    try send(method, path, body)
    while true {
      guard let answer = try receive() else { continue }
      try ensure(
        answer.status / 100 == 2,
        "\(method) \(path): \(String(decoding: answer.body, as: UTF8.self))")
      return answer
    }
  }
}
