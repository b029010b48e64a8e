import Glibc

/// A TCP client that sends exactly the bytes of a test. Ten seconds of silence count as the end of a
/// connection.
final class RawSocket {
  private(set) var descriptor: Int32
  private var buffer: [UInt8] = []

  struct Failure: Error {}

  /// Connects to 127.0.0.1, from an address such as 127.0.0.2 if `host` is its last number.
  init(port: Int, fromHost host: UInt32 = 1) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_addr.s_addr = (UInt32(0x7F00_0000) | host).bigEndian
    let bound = withUnsafePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0 else { throw Failure() }
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      close()
      throw Failure()
    }
  }

  deinit { close() }

  func close() {
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Closes the connection with a reset.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func shutdownWriting() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Returns false if the peer does not take all bytes.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let n = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if n <= 0 { return false }
      sent += n
    }
    return true
  }

  /// Everything up to the end of the connection.
  func readToEnd() -> [UInt8] {
    while fill() {}
    defer { buffer = [] }
    return buffer
  }

  /// The next response; `head` when it answers a HEAD and has no body. Nil when the connection ends.
  func response(head: Bool = false) -> RawResponse? {
    while true {
      if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
        let parsed = RawResponse(head: String(decoding: buffer[..<end.lowerBound], as: UTF8.self))
        let length =
          head || [204, 304].contains(parsed.status) || parsed.status < 200
          ? 0 : Int(parsed["content-length"] ?? "0") ?? 0
        while buffer.count < end.upperBound + length {
          guard fill() else { return nil }
        }
        var whole = parsed
        whole.body = Array(buffer[end.upperBound..<(end.upperBound + length)])
        buffer.removeFirst(end.upperBound + length)
        return whole
      }
      guard fill() else { return nil }
    }
  }

  /// The bytes that have arrived, at most `count`. Waits for some.
  func receive(atMost count: Int) -> [UInt8] {
    if buffer.isEmpty { _ = fill() }
    defer { buffer.removeFirst(min(count, buffer.count)) }
    return Array(buffer.prefix(count))
  }

  /// Whether the server has closed the connection, without bytes before that.
  func isAtEnd() -> Bool { buffer.isEmpty && !fill() }

  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let n = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard n > 0 else { return false }
    buffer += chunk[..<n]
    return true
  }
}

struct RawResponse {
  var status: Int
  var fields: [(String, String)]
  var body: [UInt8] = []

  init(head: String) {
    let lines = head.split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    status = words.count > 1 ? Int(words[1]) ?? 0 : 0
    fields = lines.dropFirst().map { line in
      let name = line.prefix { $0 != ":" }
      return (name.lowercased(), String(line.dropFirst(name.count + 2)))
    }
  }

  subscript(name: String) -> String? { fields.first { $0.0 == name }?.1 }
  var text: String { String(decoding: body, as: UTF8.self) }
  /// Whether the body is problem details in JSON.
  var isProblem: Bool { self["content-type"] == "application/problem+json" && text.hasPrefix("{") }
}
