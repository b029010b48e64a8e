import Glibc
import TestSupport
import Testing
import Threading

@testable import HTTPServer

/// Bodies that are so large that a loop leaves them where they are.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LargeBodyTests {
  private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
  /// 12 MB of text, more than sockets keep, in parts that don't end where records of TLS or memory pages do.
  private static let part: [UInt8] = {
    var generator = SeededGenerator(seed: 1)
    return (0..<100_003).map { _ in UInt8(truncatingIfNeeded: generator.next()) & 63 + 48 }
  }()
  private static let body: [UInt8] = {
    var bytes: [UInt8] = []
    for _ in 0..<120 { bytes += LargeBodyTests.part }
    return bytes
  }()

  /// The bodies of responses, which it doesn't keep.
  private final class Bodies: Sendable {
    private struct Weak: @unchecked Sendable {
      weak var body: KeptBody?
    }
    private let all = Locked<[Weak]>([])

    /// The number of those that were made, and of those that somebody keeps.
    var made: Int { all.withLock { $0.count } }
    var kept: Int { all.withLock { bodies in bodies.count { $0.body != nil } } }

    func response() -> HTTPResponse {
      let body = KeptBody(LargeBodyTests.body)
      all.withLock { $0.append(Weak(body: body)) }
      return HTTPResponse(
        status: 200, headers: [(name: "Content-Type", value: "text/plain")], body: body)
    }
  }

  private func serve(
    _ bodies: Bodies, _ change: (inout HTTPServer.Configuration) -> Void = { _ in }
  ) throws -> TestServer {
    try TestServer(change: change) { _, reply in reply(bodies.response()) }
  }

  @Test func `answers come whole to a slow client, and aren't kept beyond that`() throws {
    let bodies = Bodies()
    let server = try serve(bodies)
    let socket = try server.connect()
    for round in 1...3 {
      socket.send(Self.get)
      #expect(server.eventually { bodies.made == round })
      usleep(100_000)
      // Once a client has read much, the system may have room for all that comes next.
      if round == 1 { #expect(bodies.kept == 1) }
      #expect(try #require(socket.response()).body == Self.body)
      #expect(server.eventually { bodies.kept == 0 })
    }
    socket.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try #require(socket.response(head: true))["content-length"] == "\(Self.body.count)")
    socket.send("GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n")
    let packed = try #require(socket.response())
    #expect(packed["content-encoding"] == "gzip" && packed.body.count > 1 << 16)
    let plain = try RequestBody(packed.body).gunzipped(limit: Self.body.count)
    #expect(plain.withUnsafeBytes { Array($0) } == Self.body)
    #expect(server.eventually { bodies.kept == 0 })
  }

  @Test func `nothing is kept or counted for clients that leave in the middle`() throws {
    let bodies = Bodies()
    let refusals = Locked(0)
    let server = try serve(bodies) {
      $0.maximumOutputBytes = 32 << 20
      $0.onRefusal = { _, _ in refusals.withLock { $0 += 1 } }
    }
    for round in 1...8 {
      let socket = try server.connect(sending: Self.get)
      #expect(server.eventually { bodies.made == round })
      #expect(!socket.receive(atMost: 1000).isEmpty)
      if round.isMultiple(of: 2) { socket.reset() } else { socket.close() }
      #expect(server.eventually { bodies.kept == 0 && server.server.openConnections == 0 })
    }
    // There is room for two at a time.
    let sockets = try (0..<2).map { _ in try server.connect(sending: Self.get) }
    #expect(server.eventually { bodies.made == 10 })
    usleep(100_000)
    for socket in sockets { #expect(try #require(socket.response()).body == Self.body) }
    #expect(server.eventually { bodies.kept == 0 })
    #expect(refusals.withLock { $0 } == 0)
  }

  @Test func `nothing is kept by a server that has ended`() throws {
    let bodies = Bodies()
    var server: TestServer? = try serve(bodies) { $0.drainTimeout = 0 }
    let socket = try #require(try server?.connect())
    socket.send(Self.get)
    #expect(!socket.receive(atMost: 1000).isEmpty)
    #expect(bodies.kept == 1)
    server = nil
    for _ in 0..<2000 where bodies.kept > 0 { usleep(5000) }
    #expect(bodies.kept == 0)
  }

  /// The answer to a request by openssl, or what a command that begins to read it after a second makes of it.
  private func secureRequest(
    _ request: String, to server: TestServer, _ reader: String
  ) throws -> String {
    let script = """
      { printf "$2"; sleep 2; } | openssl s_client -quiet -connect "127.0.0.1:$1" 2>/dev/null |
        { sleep 1; \(reader); }
      """
    let client = try ChildProcess("/bin/sh", ["-c", script, "sh", "\(server.port)", request])
    #expect(client.waitForExit(seconds: 60) == .code(0))
    return client.standardOutput
  }

  @Test func `answers over TLS come whole, and aren't kept beyond that`() throws {
    let directory = try TemporaryDirectory()
    let files = (directory.file("certificate"), directory.file("key"))
    let maker = try ChildProcess(
      "/bin/sh",
      [
        "-c",
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
          + "-subj /CN=localhost -out \"$1\" -keyout \"$2\" 2>/dev/null", "sh", files.0, files.1,
      ])
    #expect(maker.waitForExit(seconds: 60) == .code(0))
    let tls = try TLSContext.server(certificate: files.0, key: files.1)
    let bodies = Bodies()
    let server = try serve(bodies) { $0.tls = tls }

    let client = try HTTPClient(
      url: "https://127.0.0.1:\(server.port)", trust: HTTPClient.Trust(verifies: false))
    for _ in 0..<3 {
      #expect(try client.send(.get, "/").body == Self.body)
      #expect(server.eventually { bodies.kept == 0 })
    }
    let last = "GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"
    let slow = try secureRequest(last, to: server, "cat")
    #expect(Array(slow.utf8.suffix(Self.body.count)) == Self.body)
    #expect(server.eventually { bodies.kept == 0 })
    // This one leaves in the middle.
    let first = try secureRequest(last, to: server, "head -c 100000")
    #expect(first.utf8.count == 100_000)
    #expect(server.eventually { bodies.kept == 0 && server.server.openConnections == 1 })
    #expect(try client.send(.get, "/").body == Self.body)
  }

  /// Whether a body is that of the tests, and has its padding.
  private static func isWhole(_ body: RequestBody) -> Bool {
    body.withUnsafeBytes { bytes in
      let behind = UnsafeRawBufferPointer(
        start: bytes.baseAddress.map { $0 + bytes.count }, count: RequestBody.padding)
      return Array(bytes) == Self.body && behind.allSatisfy { $0 == 0 }
    }
  }

  @Test func `bodies of requests are whole, also for several readers at a time`() throws {
    let server = try TestServer { request, reply in
      let body = request.body
      let whole = Locked(0)
      let readers = (0..<4).map { _ in
        Threads.start {
          let isWhole = Self.isWhole(body)
          whole.withLock { $0 += isWhole ? 1 : 0 }
        }
      }
      for reader in readers { reader.join() }
      reply(HTTPResponse(status: 200, body: Array("\(body.count) \(whole.withLock { $0 })".utf8)))
    }
    let socket = try server.connect()
    let head = "POST / HTTP/1.1\r\nHost: x\r\n"
    socket.send("\(head)Content-Length: \(Self.body.count)\r\n\r\n")
    socket.send(Self.body)
    #expect(try #require(socket.response()).text == "\(Self.body.count) 4")
    socket.send("\(head)Transfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<120 {
      socket.send("\(String(Self.part.count, radix: 16))\r\n")
      socket.send(Self.part)
      socket.send("\r\n")
    }
    socket.send("0\r\n\r\n")
    #expect(try #require(socket.response()).text == "\(Self.body.count) 4")
  }

  @Test func `bodies that nobody reads are neither kept nor counted`() throws {
    let server = try TestServer(
      change: {
        $0.maximumBodyBytes = 13 << 20
        $0.maximumInputBytes = 27 << 20
      },
      handler: { _, reply in reply(HTTPResponse(status: 403)) })
    let socket = try server.connect()
    for _ in 0..<8 {
      socket.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.body.count)\r\n\r\n")
      socket.send(Self.body)
      #expect(try #require(socket.response()).status == 403)
    }
  }
}
