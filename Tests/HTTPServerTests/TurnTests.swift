import Glibc
import TestSupport
import Testing
import Threading

@testable import HTTPServer

/// Turns of addresses on a loop with more than one connection that is ready.
@Suite(.timeLimit(.minutes(5))) struct TurnTests {
  private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

  /// What a handler has seen, and whether it goes on.
  private final class Seen: Sendable {
    private let clients = Locked<[UInt64]>([])
    private let isOpen = Locked(false)

    var all: [UInt64] { clients.withLock { $0 } }
    func open() { isOpen.withLock { $0 = true } }

    /// Works for so long that others who are ready come first. The first request waits until all others are there.
    func handle(_ request: HTTPRequest, _ reply: (HTTPResponse) -> Void) {
      let isFirst = clients.withLock { clients in
        clients.append(request.client >> 24)
        return clients.count == 1
      }
      while isFirst, !isOpen.withLock({ $0 }) { usleep(1000) }
      let end = MonotonicTime.now + 1_000_000
      while MonotonicTime.now < end {}
      reply(HTTPResponse(status: 200))
    }
  }

  @Test func `who has one request isn't kept waiting by who has many`() throws {
    let seen = Seen()
    let server = try TestServer { seen.handle($0, $1) }
    let greedy = try (0..<16).map { _ in try server.connect(from: 2) }
    let healthy = try server.connect(from: 3)
    #expect(server.eventually { server.server.openConnections == 17 })
    // While the loop is busy with the first, the others become ready, those of the one address before the other's.
    greedy[0].send(Self.get)
    #expect(server.eventually { seen.all.count == 1 })
    for socket in greedy.dropFirst() { socket.send(Self.get) }
    healthy.send(Self.get)
    usleep(50_000)
    seen.open()
    #expect(healthy.response()?.status == 200)
    #expect(try #require(seen.all.firstIndex(of: 3)) <= 4, "\(seen.all)")
    for socket in greedy { #expect(socket.response()?.status == 200) }
    #expect(seen.all.count == 17)
  }

  @Test func `addresses without pause share a loop, and nobody starves`() throws {
    let seen = Seen()
    seen.open()
    let server = try TestServer { seen.handle($0, $1) }
    // One of them has many connections, two have two, one has one.
    let counts: [(host: UInt32, connections: Int)] = [(2, 12), (3, 2), (4, 2), (5, 1)]
    let end = Locked(false)
    let threads = counts.flatMap { host, connections in
      (0..<connections).map { _ in
        Threads.start {
          guard let socket = try? server.connect(from: host) else { return }
          while !end.withLock({ $0 }), socket.send(Self.get), socket.response() != nil {}
        }
      }
    }
    #expect(server.eventually { Set(seen.all).count == 4 && seen.all.count > 400 })
    end.withLock { $0 = true }
    for thread in threads { thread.join() }
    // A request is on its way to the client and back between two of the one connection, so that it may miss turns.
    let late = seen.all.dropFirst(100).prefix(300)
    let shares = counts.map { host, _ in late.count { $0 == UInt64(host) } }
    #expect(shares[0] < 200 && shares.allSatisfy { $0 > 15 }, "\(shares)")
  }

  @Test func `requests that wait for their turn go with their connections`() throws {
    let seen = Seen()
    let server = try TestServer { seen.handle($0, $1) }
    let healthy = try server.connect(from: 3, sending: Self.get)
    #expect(server.eventually { seen.all.count == 1 })
    let greedy = try (0..<16).map { _ in try server.connect(from: 2, sending: Self.get) }
    seen.open()
    for socket in greedy { socket.reset() }
    #expect(healthy.response()?.status == 200)
    #expect(server.eventually { server.server.openConnections == 1 })
    healthy.send(Self.get)
    #expect(healthy.response()?.status == 200)
    // Those that wait when the server stops are answered before it ends.
    let last = try (0..<8).map { _ in try server.connect(from: 2, sending: Self.get) }
    #expect(server.eventually { server.server.openConnections == 9 })
    server.server.shutdown()
    for socket in last {
      let answer = socket.response()
      #expect(answer == nil || answer?.status == 200)
    }
  }

  @Test(arguments: [("/", 4095, 200), ("/", 4096, 431), ("/", 60_000, 431), ("/?", 60_000, 200)])
  func `a path has at most 4,096 bytes`(beginning: String, count: Int, status: Int) throws {
    let server = try TestServer()
    for part in ["a", "/", "%2F/"] {
      let text = String(repeating: part, count: (count + part.utf8.count - 1) / part.utf8.count)
      let socket = try server.connect(
        sending: "GET \(beginning)\(text.prefix(count)) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(socket.response()?.status == status, "\(part)")
    }
  }

  @Test(arguments: [(128, 200), (129, 431), (12_000, 431)])
  func `a head has at most 128 fields`(count: Int, status: Int) throws {
    let server = try TestServer()
    let socket = try server.connect()
    let fields = "Host: x\r\n" + String(repeating: "a:\r\n", count: count - 1)
    socket.send("GET / HTTP/1.1\r\n\(fields)\r\n")
    #expect(socket.response()?.status == status)
    // The next request of a connection begins to count again.
    guard status == 200 else { return }
    socket.send("GET / HTTP/1.1\r\n\(fields)\r\n")
    #expect(socket.response()?.status == status)
    let body = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    socket.send(body + String(repeating: "a:\r\n", count: 200) + "\r\n")
    #expect(socket.response()?.status == 431)
  }
}
