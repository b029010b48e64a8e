import Glibc
import HTTPServer
import TestSupport
import Threading

/// Bytes on a connection to a server that answers with what was sent: answers are well-formed, each as long as it says, and no
/// connection stays open.
final class FuzzHTTP: Sendable {
  static let shared = FuzzHTTP()

  private let server: HTTPServer?
  private let uses = Locked<UInt32>(0)

  private init() {
    var configuration = HTTPServer.Configuration()
    (configuration.port, configuration.threads) = (0, 1)
    (configuration.maximumBodyBytes, configuration.maximumHeaderBytes) = (4096, 2048)
    (configuration.idleTimeout, configuration.paceSeconds) = (5, 5)
    server = try? HTTPServer(configuration: configuration) { request, reply in
      let body = request.body.withUnsafeBytes { Array($0) }
      reply(
        HTTPResponse(
          status: 200, headers: [(name: "Content-Type", value: "text/plain")],
          body: Array("\(request.method) \(request.target) ".utf8) + body))
    }
    try? server?.start()
    precondition(server != nil)
  }

  func feed(_ input: UnsafeRawBufferPointer) throws {
    let bytes = Array(input)
    let cut = bytes.isEmpty ? 0 : Int(UInt(bitPattern: bytes.hashOfBytes) % UInt(bytes.count))
    guard let connection = connect() else { throw FuzzFinding(description: "no connection") }
    defer { close(connection) }
    for part in [bytes[..<cut], bytes[cut...]] where !part.isEmpty {
      _ = Array(part).withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
    }
    _ = shutdown(connection, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = recv(connection, &chunk, chunk.count, 0)
      if count < 0, errno == EAGAIN { throw FuzzFinding(description: "the connection has no end") }
      if count <= 0 { break }
      answer += chunk[..<count]
    }
    try check(answer[...], to: bytes)
  }

  /// A connection from one of many addresses, as a port has to rest when it was used.
  private func connect() -> Int32? {
    let number = uses.withLock { uses in
      uses &+= 1
      return uses
    }
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    func address(_ host: UInt32, _ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = host.bigEndian
      return address
    }
    func use(_ address: sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool
    {
      withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }
    let isConnected =
      use(address(0x7F01_0001 + number % 0xFFFF, 0)) { Glibc.bind(connection, $0, $1) }
      && use(address(0x7F00_0001, server?.port ?? 0)) { Glibc.connect(connection, $0, $1) }
    if isConnected { return connection }
    close(connection)
    return nil
  }

  /// Answers follow each other without gaps. The last may be cut off, as what isn't HTTP may be by a reset.
  private func check(_ answer: ArraySlice<UInt8>, to bytes: [UInt8]) throws {
    var rest = answer
    while !rest.isEmpty {
      guard let end = rest.firstRange(of: [13, 10, 13, 10]) else { return }
      let lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
      let words = (lines.first ?? "").split(separator: " ")
      guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
        (100...599).contains(status)
      else { throw FuzzFinding(description: "not an answer: \(lines.first ?? "")") }
      rest = rest[end.upperBound...]
      guard status >= 200, ![204, 304].contains(status) else { continue }
      try FuzzFinding.unless(status != 500, "an error of the server")
      let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
      guard let count = length.flatMap({ Int($0.dropFirst(16)) }) else {
        throw FuzzFinding(description: "an answer without a length")
      }
      // The answer to HEAD has none of its body.
      if rest.starts(with: "HTTP/1.".utf8) || rest.isEmpty { continue }
      rest = rest.dropFirst(count)
    }
  }
}
