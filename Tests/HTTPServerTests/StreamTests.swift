import Glibc
import Threading
import HTTPServer
import TestSupport
import Testing

/// Streams: what reaches the client, and how they end.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StreamTests {
  /// The streams that a server has begun, and the number of those that have ended.
  private final class Streams: Sendable {
    let open = Locked<[ResponseStream]>([])
    let ended = Locked(0)

    var count: Int { open.withLock { $0.count } }
    var endedCount: Int { ended.withLock { $0 } }
    func take() -> [ResponseStream] {
      open.withLock { open in
        defer { open = [] }
        return open
      }
    }

    func answer(_ first: String = "") -> HTTPResponse {
      var response = HTTPResponse(
        status: 200, headers: [(name: "Content-Type", value: "text/event-stream")],
        body: Array(first.utf8))
      response.stream = { stream in
        self.open.withLock { $0.append(stream) }
        stream.onEnd { self.ended.withLock { $0 += 1 } }
      }
      return response
    }
  }

  private func serve(
    _ streams: Streams, _ change: (inout HTTPServer.Configuration) -> Void = { _ in }
  ) throws -> TestServer {
    try TestServer(change: change) { request, reply in
      request.path == "/plain"
        ? TestServer.echo(request, reply) : reply(streams.answer("first "))
    }
  }

  /// The text of a chunked body; nil if it is incomplete.
  private func unchunked(_ bytes: [UInt8]) -> String? {
    var rest = bytes[...]
    var text: [UInt8] = []
    while let end = rest.firstRange(of: [13, 10]) {
      guard let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
        rest[end.upperBound...].count >= size + 2
      else { return nil }
      text += rest[end.upperBound...].prefix(size)
      rest = rest[end.upperBound...].dropFirst(size + 2)
      if size == 0 { return rest.isEmpty ? String(decoding: text, as: UTF8.self) : nil }
    }
    return nil
  }

  @Test func sendsWhatComesAndEndsTheConnectionWithIt() throws {
    let streams = Streams()
    let server = try serve(streams)
    for version in ["1.1", "1.0"] {
      let socket = try server.connect(sending: "GET / HTTP/\(version)\r\nHost: x\r\n\r\n")
      let head = try #require(socket.response())
      #expect(head.status == 200)
      #expect(head["connection"] == "close")
      #expect(head["transfer-encoding"] == (version == "1.1" ? "chunked" : nil))
      #expect(head["content-length"] == nil && head["etag"] == nil)
      #expect(server.eventually { streams.count == 1 })
      let stream = try #require(streams.take().first)
      let large = String(repeating: "x", count: 3 << 20)
      for part in ["second ", "", large] { stream.send(Array(part.utf8)) }
      stream.finish()
      stream.send(Array("too late".utf8))
      let rest = socket.readToEnd()
      let text = version == "1.1" ? unchunked(rest) : String(decoding: rest, as: UTF8.self)
      #expect(text == "first second \(large)")
      #expect(server.eventually { stream.isEnded && stream.pendingBytes == 0 })
    }
    #expect(server.eventually { streams.endedCount == 2 })
  }

  @Test func aHeadIsAnsweredWithoutAStream() throws {
    let streams = Streams()
    let server = try serve(streams)
    let socket = try server.connect()
    for _ in 0..<3 {
      socket.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try #require(socket.response(head: true))
      #expect(answer.status == 200 && answer["content-length"] == nil)
      #expect(answer["content-type"] == "text/event-stream")
    }
    socket.send("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(socket.response()?.text == "GET /plain ")
    #expect(streams.endedCount == 3)
  }

  @Test func noticesClientsThatGo() throws {
    let streams = Streams()
    let server = try serve(streams) { $0.threads = 2 }
    var sockets: [TestConnection] = []
    for _ in 0..<60 {
      let socket = try server.connect(sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      sockets.append(socket)
    }
    for socket in sockets { #expect(socket.response()?.status == 200) }
    #expect(server.eventually { streams.count == 60 })
    for (number, socket) in sockets.enumerated() {
      switch number % 3 {
      case 0: socket.close()
      case 1: socket.reset()
      default: socket.finishSending()
      }
    }
    #expect(server.eventually { streams.endedCount == 60 })
    #expect(server.eventually { server.server.openConnections == 0 })
    for stream in streams.take() {
      stream.send([65])
      stream.drop()
      stream.finish()
    }
  }

  @Test func aReplyToAClientThatHasGoneHasEnded() throws {
    let streams = Streams()
    let held = Held()
    let server = try TestServer { _, reply in held.add(reply) }
    let socket = try server.connect(sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(server.eventually { held.count == 1 })
    socket.reset()
    for reply in held.takeAll() { reply(streams.answer(String(repeating: "x", count: 1 << 20))) }
    #expect(server.eventually { streams.endedCount == 1 })
  }

  @Test func tellsHowMuchASlowClientHasNotTaken() throws {
    let streams = Streams()
    let server = try serve(streams)
    let (slow, quick) = (try server.connect(), try server.connect())
    for socket in [slow, quick] {
      socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(socket.response()?.status == 200)
      #expect(server.eventually { streams.count == 1 || socket === quick })
    }
    #expect(server.eventually { streams.count == 2 })
    let open = streams.take()
    let block = [UInt8](repeating: 120, count: 256 << 10)
    for _ in 0..<200 where open[0].pendingBytes < 4 << 20 {
      for stream in open { stream.send(block) }
      // Reads, so that only one of the clients falls behind.
      #expect(server.eventually { !quick.receive(atMost: block.count).isEmpty })
      usleep(1000)
    }
    #expect(open[0].pendingBytes >= 4 << 20)
    open[0].drop()
    #expect(server.eventually { streams.endedCount == 1 && open[0].pendingBytes == 0 })
    #expect(unchunked(slow.readToEnd()) == nil)
    open[1].finish()
    #expect(quick.readToEnd().suffix(5) == Array("0\r\n\r\n".utf8))
  }

  @Test func silenceIsNoReasonToEnd() throws {
    let streams = Streams()
    let server = try serve(streams) { $0.idleTimeout = 1 }
    let (quiet, stuck) = (try server.connect(), try server.connect())
    for (number, socket) in [quiet, stuck].enumerated() {
      socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(socket.response()?.status == 200)
      #expect(server.eventually { streams.count == number + 1 })
    }
    let open = streams.take()
    // This client takes nothing.
    open[1].send([UInt8](repeating: 120, count: 32 << 20))
    #expect(server.eventually { open[1].isEnded })
    // A connection that begins now ends as idle, by which time the stream has been quiet for longer.
    #expect(try server.connect().isAtEnd())
    open[0].send(Array("still there".utf8))
    open[0].finish()
    #expect(unchunked(quiet.readToEnd()) == "first still there")
  }

  @Test func nothingIsAnsweredBehindAStream() throws {
    let streams = Streams()
    let server = try serve(streams)
    let socket = try server.connect(
      sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /plain HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(socket.response()?.status == 200)
    socket.send("GET /plain HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(server.eventually { streams.count == 1 })
    for stream in streams.take() { stream.finish() }
    #expect(unchunked(socket.readToEnd()) == "first ")
    // A client that keeps sending is cut off.
    let noisy = try server.connect(sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(noisy.response()?.status == 200)
    while noisy.send([UInt8](repeating: 65, count: 10_000)) {}
    #expect(server.eventually { streams.endedCount == 2 })
  }

  @Test func shutdownEndsStreams() throws {
    let streams = Streams()
    let server = try serve(streams) {
      $0.threads = 2
      $0.drainTimeout = 60
    }
    let sockets = try (0..<20).map { _ in try server.connect() }
    for socket in sockets {
      socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(socket.response()?.status == 200)
    }
    #expect(server.eventually { streams.count == 20 })
    let open = streams.take()
    // One client takes nothing; the shutdown does not wait for it.
    let stuck = try server.connect()
    stuck.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(server.eventually { streams.count == 1 })
    let last = streams.take()
    last[0].send([UInt8](repeating: 120, count: 32 << 20))
    server.server.shutdown()
    for socket in sockets { #expect(unchunked(socket.readToEnd()) == "first ") }
    #expect(streams.endedCount == 21 && server.server.openConnections == 0)
    for stream in open + last {
      #expect(stream.isEnded)
      stream.send([65])
    }
  }

  @Test func manyThreadsSendAndEndStreams() throws {
    let streams = Streams()
    let server = try serve(streams) { $0.threads = 2 }
    for _ in 0..<5 {
      let sockets = try (0..<20).map { _ in try server.connect() }
      for socket in sockets { socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
      for socket in sockets { #expect(socket.response()?.status == 200) }
      #expect(server.eventually { streams.count == 20 })
      let open = streams.take()
      let threads = (0..<4).map { thread in
        Threads.start {
          for number in 0..<50 {
            for stream in open { stream.send(Array("\(thread):\(number) ".utf8)) }
          }
          for (place, stream) in open.enumerated() where place % 4 == thread {
            if place % 8 < 4 { stream.finish() } else { stream.drop() }
          }
        }
      }
      for (place, socket) in sockets.enumerated() where place % 5 == 0 { socket.reset() }
      for (place, socket) in sockets.enumerated() where place % 5 != 0 {
        let text = unchunked(socket.readToEnd()) ?? ""
        for thread in 0..<4 {
          let numbers = text.split(separator: " ").filter { $0.hasPrefix("\(thread):") }
          #expect(numbers == (0..<numbers.count).map { "\(thread):\($0)"[...] })
        }
      }
      for thread in threads { thread.join() }
    }
    #expect(server.eventually { streams.endedCount == 100 && server.server.openConnections == 0 })
  }

  @Test func lettingGoEndsAStreamAndItsLogTellsOfAll() throws {
    let streams = Streams()
    let log = Locked<[RequestLog]>([])
    let server = try serve(streams) {
      $0.onRequest = { entry in log.withLock { $0.append(entry) } }
    }
    let socket = try server.connect(sending: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(socket.response()?.status == 200)
    #expect(server.eventually { streams.count == 1 })
    #expect(log.withLock { $0.isEmpty })
    streams.open.withLock { $0[0].send([UInt8](repeating: 65, count: 5000)) }
    _ = streams.take()
    #expect(unchunked(socket.readToEnd())?.count == 5006)
    #expect(server.eventually { log.withLock { $0.count } == 1 })
    #expect(log.withLock { $0[0].bytesSent > 5006 && $0[0].target == "/a" })
  }
}
