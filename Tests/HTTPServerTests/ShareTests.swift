import Glibc
import TestSupport
import Testing
import Threading

@testable import HTTPServer

/// What one address may take of what there is for all.
@Suite(.timeLimit(.minutes(5))) struct ShareTests {
  private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

  /// A server that counts what it refuses.
  private static func server(
    _ change: (inout HTTPServer.Configuration) -> Void, handler: @escaping HTTPServer.Handler
  ) throws -> (TestServer, @Sendable (ConnectionRefusal) -> Int) {
    let counts = Locked<[ConnectionRefusal: Int]>([:])
    let server = try TestServer(
      change: { configuration in
        change(&configuration)
        configuration.onRefusal = { refusal, _ in counts.withLock { $0[refusal, default: 0] += 1 } }
      }, handler: handler)
    return (server, { refusal in counts.withLock { $0[refusal] ?? 0 } })
  }

  @Test(arguments: ["", "GET / HTTP/1.1\r\nHost: x\r\nX: "])
  func `an address that has all connections makes room for others`(beginning: String) throws {
    let (server, refused) = try Self.server(
      { $0.maximumConnections = 20 }, handler: TestServer.echo)
    let greedy = try (0..<20).map { _ in try server.connect(from: 2, sending: beginning) }
    #expect(server.eventually { server.server.openConnections == 20 })
    // It gets no more itself.
    let more = try server.connect(from: 2)
    let refusal = try #require(more.response())
    #expect(refusal.status == 503 && refusal["retry-after"] == "1" && refusal.isProblem)
    #expect(refusal["x-content-type-options"] == "nosniff")
    var healthy: [TestConnection] = []
    for _ in 0..<10 {
      let socket = try server.connect(sending: Self.get)
      #expect(try #require(socket.response()).status == 200)
      healthy.append(socket)
    }
    #expect(refused(.addressShare) == 10 && refused(.connections) == 1)
    // Those who came first went first, and both have the same share now.
    for (number, socket) in greedy.enumerated() where number < 10 {
      if !beginning.isEmpty { #expect(socket.response()?.status == 429) }
      #expect(socket.isAtEnd())
    }
    greedy[19].send(beginning.isEmpty ? Self.get : "\r\n\r\n")
    #expect(greedy[19].response()?.status == 200)
    for socket in healthy {
      socket.send(Self.get)
      #expect(socket.response()?.status == 200)
    }
  }

  @Test func `an address of more than half the connections gives up those that wait`() throws {
    let held = Held()
    let (server, refused) = try Self.server({ $0.maximumConnections = 8 }) { request, reply in
      if request.client & 0xFF00_0000 == 2 << 24 {
        held.add(reply)
      } else {
        reply(HTTPResponse(status: 200))
      }
    }
    let greedy = try (0..<8).map { _ in try server.connect(from: 2, sending: Self.get) }
    #expect(server.eventually { held.count == 8 })
    let healthy = try server.connect(sending: Self.get)
    #expect(try #require(healthy.response()).status == 200)
    #expect(refused(.addressShare) == 1)
    held.answerAll()
    #expect(greedy.filter { $0.response()?.status == 200 }.count == 7)
  }

  @Test func `an address with most bytes of requests is turned away first`() throws {
    let (server, refused) = try Self.server(
      {
        $0.maximumBodyBytes = 1 << 20
        $0.maximumInputBytes = 4 << 20
      }, handler: TestServer.echo)
    // One request that is larger than each of the many of another address.
    let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n"
    let healthy = try server.connect(sending: head)
    healthy.send([UInt8](repeating: 65, count: 800_000))
    let small = try server.connect(from: 3, sending: "GET / HTTP/1.1\r\n")
    let greedy = try (0..<200).map { _ in
      let socket = try server.connect(
        from: 2, sending: "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 60_000))"
      )
      return socket
    }
    #expect(server.eventually { refused(.inputMemory) > 100 })
    healthy.send([UInt8](repeating: 65, count: 100_000))
    #expect(try #require(healthy.response()).status == 200)
    small.send("Host: x\r\n\r\n")
    #expect(try #require(small.response()).status == 200)
    withExtendedLifetime(greedy) {}
  }

  @Test func `requests that wait for their answers leave room for other addresses`() throws {
    let held = Held()
    let (server, refused) = try Self.server({
      $0.maximumBodyBytes = 1 << 20
      $0.maximumInputBytes = 4 << 20
    }) { request, reply in
      if request.client & 0xFF00_0000 == 2 << 24 {
        held.add(reply)
      } else {
        reply(HTTPResponse(status: 200))
      }
    }
    let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 400000\r\n\r\n"
    var statuses: [Int] = []
    let greedy = try (0..<12).map { _ in
      let socket = try server.connect(from: 2, sending: head)
      socket.send([UInt8](repeating: 65, count: 400_000))
      return socket
    }
    #expect(server.eventually { held.count + refused(.addressShare) + refused(.inputMemory) == 12 })
    #expect(held.count == 7 && refused(.addressShare) > 0)
    let healthy = try server.connect(sending: head)
    healthy.send([UInt8](repeating: 65, count: 400_000))
    #expect(try #require(healthy.response()).status == 200)
    held.answerAll()
    for socket in greedy { statuses.append(socket.response()?.status ?? 0) }
    #expect(
      Set(statuses).isSubset(of: [200, 429, 503]) && statuses.filter { $0 == 200 }.count == 7)
  }

  @Test func `an address with most bytes of answers is cut off first`() throws {
    let large = [UInt8](repeating: 65, count: 16 << 20)
    let medium = [UInt8](repeating: 66, count: 8 << 20)
    let (server, refused) = try Self.server({ $0.maximumOutputBytes = 32 << 20 }) {
      request, reply in
      reply(HTTPResponse(status: 200, body: request.path == "/large" ? large : medium))
    }
    let healthy = try server.connect(sending: "GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(server.eventually { server.server.openConnections == 1 })
    let greedy = try (0..<8).map { _ in try server.connect(from: 2, sending: Self.get) }
    #expect(server.eventually { refused(.outputMemory) > 2 })
    #expect(try #require(healthy.response()).body == large)
    withExtendedLifetime(greedy) {}
  }

  @Test func `a body in many small chunks is refused, in larger ones it isn't`() throws {
    let (server, refused) = try Self.server({ _ in }, handler: TestServer.echo)
    let head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    for (count, size, status) in [(9000, 1, 200), (100_000, 1, 413), (30_000, 30, 200)] {
      let socket = try server.connect()
      let text = String(repeating: "x", count: size)
      let chunk = "\(String(size, radix: 16))\r\n\(text)\r\n"
      socket.send(head + String(repeating: chunk, count: count) + "0\r\n\r\n" + Self.get)
      let answer = try #require(socket.response())
      #expect(answer.status == status, "\(count) of \(size)")
      if status == 413 { continue }
      #expect(answer.body.count == count * size + "POST / ".count)
      #expect(try #require(socket.response()).status == 200)
    }
    #expect(refused(.bodySize) == 1)
  }
}
