import Glibc
@testable import HTTPServer
import Threading
import Synchronization
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct LifecycleTests {
  @Test func repliesFromOtherThreads() throws {
    let held = Held()
    let server = try TestServer(
      change: { $0.threads = 2 }, handler: { _, reply in held.add(reply) })
    let sockets = try (0..<50).map { _ in try server.connect() }
    for round in 0..<10 {
      for socket in sockets { socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
      #expect(server.eventually { held.count == 50 })
      let replies = held.takeAll()
      let threads = (0..<4).map { t in
        Threads.start {
          for i in stride(from: t, to: 50, by: 4) {
            replies[i](HTTPResponse(status: 200, body: Array("\(round)".utf8)))
          }
        }
      }
      for thread in threads { thread.join() }
      for socket in sockets { #expect(socket.response()?.text == "\(round)") }
    }
  }

  @Test func aSecondReplyIsIgnoredAndADroppedOneIsA500() throws {
    let server = try TestServer { request, reply in
      if request.path == "/dropped" { return }
      reply(HTTPResponse(status: 201))
      reply(HTTPResponse(status: 202))
      Threads.start { reply(HTTPResponse(status: 203)) }.detach()
    }
    let socket = try server.connect()
    for _ in 0..<10 {
      socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /dropped HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(socket.response()?.status == 201)
      let dropped = try #require(socket.response())
      #expect(dropped.status == 500)
      #expect(dropped.isProblem)
    }
  }

  @Test func aLoopThatIsHeldUpDoesNotRespond() throws {
    let isHeld = Atomic(false)
    let mayGo = Atomic(false)
    let server = try TestServer(
      change: { $0.threads = 2 },
      handler: { _, reply in
        isHeld.store(true, ordering: .sequentiallyConsistent)
        while !mayGo.load(ordering: .sequentiallyConsistent) { usleep(1000) }
        reply(HTTPResponse(status: 200))
      })
    #expect(server.server.responds(within: 30))
    let socket = try server.connect(sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(server.eventually { isHeld.load(ordering: .sequentiallyConsistent) })
    #expect(!server.server.responds(within: 0.1))
    mayGo.store(true, ordering: .sequentiallyConsistent)
    #expect(socket.response()?.status == 200)
    #expect(server.server.responds(within: 30))
    server.server.shutdown()
    #expect(server.server.responds(within: 0))
  }

  @Test func shutdownAnswersWhatIsInFlight() throws {
    let held = Held()
    // An address of its own, on which no other test is given the port once it is free.
    let server = try TestServer(
      change: { ($0.threads, $0.host) = (2, "127.0.0.77") },
      handler: { _, reply in held.add(reply) }
    )
    func connect() throws -> TestConnection {
      try TestConnection(port: UInt16(server.port), timeout: 10, to: 77)
    }
    let busy = try (0..<20).map { _ in try connect() }
    let idle = try (0..<20).map { _ in try connect() }
    for socket in busy { socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
    #expect(server.eventually { held.count == 20 && server.server.openConnections == 40 })
    let stopping = Threads.start { server.server.shutdown() }
    // Idle connections are closed, and the port is free.
    for socket in idle { #expect(socket.isAtEnd()) }
    #expect(throws: TestClient.Failure.self) { try connect() }
    held.answerAll()
    for socket in busy {
      let answer = try #require(socket.response())
      #expect(answer.text == "late")
      #expect(answer["connection"] == "close")
      #expect(socket.isAtEnd())
    }
    stopping.join()
    server.server.shutdown()
    #expect(server.server.openConnections == 0)
  }

  @Test func shutdownUnderLoadLosesNoAnswerThatHasBegun() throws {
    for _ in 0..<5 {
      let accepted = Atomic<Int>(0)
      let answered = Atomic<Int>(0)
      let server = try TestServer(
        change: { $0.threads = 2 },
        handler: { request, reply in
          accepted.add(1, ordering: .relaxed)
          if request.path == "/now" { return reply(HTTPResponse(status: 200, body: [65])) }
          Threads.start {
            usleep(2000)
            reply(HTTPResponse(status: 200, body: [66]))
          }.detach()
        })
      let clients = (0..<6).map { i in
        Threads.start {
          guard let socket = try? server.connect() else { return }
          while socket.send("GET /\(i % 2 == 0 ? "now" : "later") HTTP/1.1\r\nHost: x\r\n\r\n"),
            socket.response() != nil
          { answered.add(1, ordering: .relaxed) }
        }
      }
      #expect(server.eventually { answered.load(ordering: .relaxed) > 100 })
      server.server.shutdown()
      for client in clients { client.join() }
      #expect(accepted.load(ordering: .relaxed) == answered.load(ordering: .relaxed))
    }
  }

  @Test func shutdownAnswersThoseWhoWaitToBeAccepted() throws {
    let isHeld = Atomic(false)
    let mayGo = Atomic(false)
    let server = try TestServer { _, reply in
      isHeld.store(true, ordering: .sequentiallyConsistent)
      while !mayGo.load(ordering: .sequentiallyConsistent) { usleep(1000) }
      reply(HTTPResponse(status: 200, body: [65]))
    }
    let request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    let first = try server.connect(sending: request)
    #expect(server.eventually { isHeld.load(ordering: .sequentiallyConsistent) })
    // The kernel has taken these connections, and the loop knows of none.
    let others = try (0..<20).map { _ in try server.connect(sending: request) }
    let stopping = Threads.start { server.server.shutdown() }
    usleep(50_000)
    mayGo.store(true, ordering: .sequentiallyConsistent)
    #expect(first.response()?.text == "A")
    for socket in others {
      let answer = try #require(socket.response())
      #expect(answer.text == "A")
      #expect(answer["connection"] == "close")
    }
    stopping.join()
  }

  @Test func shutdownWaitsNoLongerThanItMay() throws {
    let held = Held()
    let server = try TestServer(
      change: { $0.drainTimeout = 1 }, handler: { _, reply in held.add(reply) })
    let socket = try server.connect(sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(server.eventually { held.count == 1 })
    server.server.shutdown()
    #expect(socket.isAtEnd())
    held.answerAll()  // too late, and harmless
  }

  @Test func repliesMayOutliveTheServer() throws {
    let held = Held()
    var server: TestServer? = try TestServer(
      change: { $0.drainTimeout = 0 }, handler: { _, reply in held.add(reply) })
    let socket = try #require(try server?.connect())
    socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(server?.eventually { held.count == 1 } == true)
    server = nil
    #expect(socket.isAtEnd())
    held.answerAll()
  }

  @Test func saysWhyItCannotListen() throws {
    let server = try TestServer { $0.threads = 2 }
    func error(_ host: String, _ port: Int) -> HTTPServerError? {
      var configuration = HTTPServer.Configuration()
      configuration.host = host
      configuration.port = port
      do throws(HTTPServerError) {
        _ = try HTTPServer(configuration: configuration, handler: TestServer.echo)
        return nil
      } catch { return error }
    }
    #expect(error("127.0.0.1", server.port) == .portInUse(host: "127.0.0.1", port: server.port))
    #expect(error("127.0.0.1", 65536) == .badPort(65536))
    // A name with spaces is refused before any server of names is asked.
    for host in ["no such host", "192.0.2.1"] {
      guard case .badHost = error(host, 0) else {
        Issue.record("\(host): \(String(describing: error(host, 0)))")
        continue
      }
    }
    #expect(error("::1", 0) == nil || error("::1", 0).debugDescription.contains("badHost"))
  }

  /// In a process of its own, where no other test opens anything.
  @Test func startsAndStopsWithoutLeaks() async {
    await #expect(processExitsWith: .success) {
      func cycle(_ i: Int) throws {
        let server = try TestServer { $0.threads = 2 }
        if i % 3 == 0 { return }
        let socket = try server.connect()
        if i % 3 == 1 { return }
        socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(socket.response()?.status == 200)
      }
      for i in 0..<3 { try cycle(i) }
      let before = openDescriptors()
      for i in 0..<100 { try cycle(i) }
      // Never started.
      _ = try HTTPServer(
        configuration: {
          var c = HTTPServer.Configuration(); c.port = 0; return c
        }(), handler: TestServer.echo)
      #expect(openDescriptors() == before)
    }
  }

  @Test func logsRequests() throws {
    let log = Locked<[RequestLog]>([])
    let server = try TestServer { $0.onRequest = { entry in log.withLock { $0.append(entry) } } }
    let socket = try server.connect(
      sending:
        "POST /a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nxgarbage garbage garbage\r\n\r\n"
    )
    _ = socket.readToEnd()
    // An entry is written after its response.
    #expect(server.eventually { log.withLock { $0.count } == 2 })
    let entries = log.withLock { $0 }
    #expect(entries.map(\.status) == [200, 400])
    #expect(entries.map(\.target).first == "/a?b")
    #expect(entries.allSatisfy { $0.bytesSent > 80 && $0.microseconds >= 0 })
  }
}
