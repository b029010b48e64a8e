import Glibc

/// One connection, used from one thread at a time. It closes when its owner lets go of it.
public final class TestConnection {
  private var socket: Int32
  private var received: [UInt8] = []
  /// Whether nothing came for as long as a read may wait.
  public private(set) var hasTimedOut = false

  /// Connects to 127.0.0.0 + `server` from the address 127.0.0.0 + `host`. `timeout` is how long a read may wait, in
  /// seconds.
  public init(
    port: UInt16, timeout: Int = 60, from host: UInt32 = 1, to server: UInt32 = 1
  ) throws(TestClient.Failure) {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw .system("socket", errno: errno) }
    set(SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: timeout, tv_usec: 0))
    set(SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: timeout, tv_usec: 0))
    set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (UInt32(0x7F00_0000) | server).bigEndian
    var own = address
    own.sin_port = 0
    own.sin_addr.s_addr = (UInt32(0x7F00_0000) | host).bigEndian
    for (name, call, address) in [("bind", Glibc.bind, own), ("connect", Glibc.connect, address)] {
      // The address of this machine that is the usual one needs no binding.
      if name == "bind", host == 1 { continue }
      let result = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          call(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard result == 0 else {
        let reason = errno
        close()
        throw .system(name, errno: reason)
      }
    }
  }

  deinit { close() }

  private func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) {
    withUnsafePointer(to: value) {
      _ = setsockopt(socket, level, option, $0, socklen_t(MemoryLayout<Value>.size))
    }
  }

  /// Closes the connection, which then takes and gives no more bytes.
  public func close() {
    if socket >= 0 { _ = Glibc.close(socket) }
    socket = -1
  }

  /// Closes the connection with a reset.
  public func reset() {
    set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    close()
  }

  /// Sends a request and waits for its answer; the connection stays open if the server keeps it.
  public func send(
    _ method: String, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) throws(TestClient.Failure) -> TestResponse {
    try write(TestConnection.request(method, path, headers: headers, body: body))
    return try receive(toHead: method == "HEAD")
  }

  /// Sends a request with a JSON body (or any other of that media type), and waits for its answer.
  public func send(
    _ method: String, _ path: String, json: String, type: String = "application/json"
  ) throws(TestClient.Failure) -> TestResponse {
    try send(method, path, headers: [("Content-Type", type)], body: Array(json.utf8))
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
    guard let answer = response() else { throw .noAnswer(received) }
    return answer
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

  /// Everything that still comes, until the server closes or the timeout passes.
  public func readToEnd() -> [UInt8] {
    while readMore() {}
    defer { received = [] }
    return received
  }

  /// Tells the server that nothing more will be sent.
  public func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

  // MARK: For tests of what isn't quite HTTP

  /// Sends text as it is; false if the server doesn't take all of it.
  @discardableResult
  public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends bytes as they are; false if the server doesn't take all of them.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool { (try? write(bytes)) != nil }

  /// The next answer, which may be an interim one, with as many bytes of a body as it says; chunks stay where they are.
  /// `head` when it answers a HEAD and has no body. Nil when the connection ends or nothing comes in time.
  public func response(head: Bool = false) -> TestResponse? {
    while true {
      if let end = received.firstRange(of: [13, 10, 13, 10])?.upperBound {
        var parser = TestResponseParser(Array(received[..<end]))
        guard let answer = try? parser.nextHead() else { return nil }
        let hasBody = !head && answer.status >= 200 && ![204, 304].contains(answer.status)
        let length = hasBody ? answer["content-length"].flatMap { Int($0) } ?? 0 : 0
        while received.count < end + length { guard readMore() else { return nil } }
        let body = Array(received[end..<end + length])
        received.removeFirst(end + length)
        return TestResponse(status: answer.status, headers: answer.headers, body: body)
      }
      guard readMore() else { return nil }
    }
  }

  /// The bytes that have arrived, at most `count`. Waits for some.
  public func receive(atMost count: Int) -> [UInt8] {
    if received.isEmpty { _ = readMore() }
    defer { received.removeFirst(min(count, received.count)) }
    return Array(received.prefix(count))
  }

  /// Whether the server has closed the connection, without bytes before that.
  public func isAtEnd() -> Bool { received.isEmpty && !readMore() }

  /// False at the end of the stream, on an error or when the timeout passes.
  private func readMore() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(socket, &chunk, chunk.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        hasTimedOut = count < 0 && errno == EAGAIN
        return false
      }
      received += chunk[..<count]
      return true
    }
  }
}
