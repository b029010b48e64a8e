import Glibc

/// A small blocking HTTP/1.1 client. Nothing is checked or corrected on the way out, so that
/// malformed requests can be sent too.
public struct TestClient: Sendable {
  /// What went wrong on the wire.
  public enum Failure: Error, Equatable, Sendable {
    /// A system call failed.
    case system(String, errno: Int32)
    /// The connection ended, or nothing came in time, before a whole answer did.
    case noAnswer([UInt8])
    /// The answer isn't HTTP.
    case malformed(String)
  }

  /// The port on 127.0.0.1.
  public let port: UInt16
  /// How long to wait for bytes, in seconds.
  public var timeout = 60

  /// A client of a server on 127.0.0.1.
  public init(port: UInt16) { self.port = port }

  /// Opens a connection to keep, from an address in 127.0.0.0/24.
  public func connect(from host: UInt8 = 1) throws(Failure) -> TestConnection {
    try TestConnection(port: port, timeout: timeout, from: host)
  }

  /// One request on a connection of its own.
  public func send(
    _ method: String, _ path: String, headers: [(String, String)] = [],
    body: some Collection<UInt8> & Sendable
  ) throws(Failure) -> TestResponse {
    let connection = try connect()
    return try connection.send(
      method, path, headers: headers + [("Connection", "close")], body: Array(body))
  }

  /// One request without a body.
  public func send(
    _ method: String, _ path: String, headers: [(String, String)] = []
  ) throws(Failure) -> TestResponse {
    try connect().send(method, path, headers: headers + [("Connection", "close")])
  }

  /// GET.
  public func get(_ path: String, headers: [(String, String)] = []) throws(Failure) -> TestResponse
  {
    try send("GET", path, headers: headers)
  }

  /// A request with a JSON body (or any other of that media type).
  public func send(
    _ method: String, _ path: String, json: String, type: String = "application/json"
  ) throws(Failure) -> TestResponse {
    try send(method, path, headers: [("Content-Type", type)], body: Array(json.utf8))
  }

  /// POST of a JSON value.
  public func post(_ path: String, _ value: TestJSON) throws(Failure) -> TestResponse {
    try send("POST", path, json: value.text)
  }

  /// Sends these bytes, whatever they are, closes the sending side if asked to, and returns every
  /// byte that comes back until the server closes or the timeout passes.
  public func raw(_ bytes: some Collection<UInt8>, closing: Bool = true) throws(Failure)
    -> [UInt8]
  {
    let connection = try connect()
    // A server may answer and close before it has read everything.
    try? connection.write(Array(bytes))
    if closing { connection.finishSending() }
    return connection.readToEnd()
  }

  /// As ``raw(_:closing:)``, read as one answer.
  public func rawResponse(_ text: String, closing: Bool = true) throws(Failure) -> TestResponse {
    let bytes = try raw(text.utf8, closing: closing)
    var parser = TestResponseParser(bytes)
    guard let response = try parser.next(toHead: text.hasPrefix("HEAD "), atEnd: true) else {
      throw .noAnswer(bytes)
    }
    return response
  }
}

/// One connection, used from one thread at a time. It closes when its owner lets go of it.
public final class TestConnection {
  private let socket: Int32
  private var received: [UInt8] = []

  /// Connects to 127.0.0.1 from an address in 127.0.0.0/24. `timeout` is how long a read may wait, in seconds.
  public init(port: UInt16, timeout: Int = 60, from host: UInt8 = 1) throws(TestClient.Failure) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw .system("socket", errno: errno) }
    var patience = timeval(tv_sec: timeout, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var one: Int32 = 1
    setsockopt(
      socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var own = address
    own.sin_port = 0
    own.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(host)).bigEndian
    let descriptor = socket
    for (name, call, address) in [("bind", Glibc.bind, own), ("connect", Glibc.connect, address)] {
      // The address of this machine that is the usual one needs no binding.
      if name == "bind", host == 1 { continue }
      let result = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard result == 0 else {
        let reason = errno
        close(socket)
        throw .system(name, errno: reason)
      }
    }
  }

  deinit { close(socket) }

  /// Sends a request and waits for its answer; the connection stays open if the server keeps it.
  public func send(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) throws(TestClient.Failure) -> TestResponse {
    try write(TestConnection.request(method, path, headers: headers, body: body))
    return try receive(toHead: method == "HEAD")
  }

  /// The bytes of a request; Host and Content-Length are added unless given.
  public static func request(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) -> [UInt8] {
    var fields = headers
    func has(_ name: String) -> Bool { headers.contains { $0.0.lowercased() == name } }
    if !has("host") { fields.insert(("Host", "127.0.0.1"), at: 0) }
    if let body, !has("content-length"), !has("transfer-encoding") {
      fields.append(("Content-Length", String(body.count)))
    }
    let head =
      "\(method) \(path) HTTP/1.1\r\n"
      + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
    return Array(head.utf8) + (body ?? [])
  }

  /// Sends bytes as they are.
  public func write(_ bytes: [UInt8]) throws(TestClient.Failure) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { all in
        Glibc.send(
          socket, all.baseAddress?.advanced(by: sent), all.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system("send", errno: errno) }
      sent += count
    }
  }

  /// Waits for the next answer.
  public func receive(toHead: Bool = false) throws(TestClient.Failure) -> TestResponse {
    var atEnd = false
    while true {
      var parser = TestResponseParser(received)
      if let response = try parser.next(toHead: toHead, atEnd: atEnd) {
        received.removeFirst(parser.consumed)
        return response
      }
      guard !atEnd else { throw .noAnswer(received) }
      atEnd = !readMore()
    }
  }

  /// Waits for the head of an answer whose body is chunked; any other answer comes whole.
  public func receiveHead() throws(TestClient.Failure) -> TestResponse {
    while true {
      var parser = TestResponseParser(received)
      if let response = try parser.nextHead() {
        guard response.header("Transfer-Encoding") != nil else { return try receive() }
        received.removeFirst(parser.consumed)
        return response
      }
      guard readMore() else { throw .noAnswer(received) }
    }
  }

  /// Waits for the next chunk of a body; nil at its end.
  public func receiveChunk() throws(TestClient.Failure) -> [UInt8]? {
    while true {
      if let end = received.firstRange(of: [13, 10]) {
        let text = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        guard let size = Int(text, radix: 16) else { throw .malformed(text) }
        if received.count >= end.upperBound + size + 2 {
          let chunk = Array(received[end.upperBound..<end.upperBound + size])
          received.removeFirst(end.upperBound + size + 2)
          return size == 0 ? nil : chunk
        }
      }
      guard readMore() else { throw .noAnswer(received) }
    }
  }

  /// Waits for an interim answer, such as 100 Continue, and takes it: its status.
  public func receiveInterim() throws(TestClient.Failure) -> Int {
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if let end = text.utf8.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
        received.removeFirst(text.utf8.distance(from: text.utf8.startIndex, to: end))
        let parts = text.split(separator: " ", maxSplits: 2)
        guard parts.count > 1, let status = Int(parts[1]), status < 200 else {
          throw .malformed(text)
        }
        return status
      }
      guard readMore() else { throw .noAnswer(received) }
    }
  }

  /// Everything that still comes, until the server closes or the timeout passes.
  public func readToEnd() -> [UInt8] {
    while readMore() {}
    defer { received = [] }
    return received
  }

  /// Tells the server that nothing more will be sent.
  public func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// False at the end of the stream, on an error or when the timeout passes.
  private func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(socket, &chunk, chunk.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      received += chunk[..<count]
      return true
    }
  }
}
