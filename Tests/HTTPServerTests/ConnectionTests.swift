import HTTPServer
import TestSupport
import Testing
import Threading

@Suite(.serialized, .timeLimit(.minutes(5))) struct ConnectionTests {
  @Test func keepsTheConnection() throws {
    let server = try TestServer()
    let socket = try server.connect()
    for i in 0..<20 {
      socket.send("GET /a\(i)?b=%20 HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try #require(socket.response())
      #expect(answer.status == 200)
      #expect(answer.text == "GET /a\(i)?b=%20 ")
      #expect(answer["date"]?.hasSuffix(" GMT") == true)
      #expect(answer["connection"] == nil)
    }
  }

  @Test func closesWhenAsked() throws {
    let server = try TestServer()
    for request in [
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: TE, Close\r\n\r\n",
      "CONNECT example.org:80 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    ] {
      let socket = try server.connect(sending: request)
      let answer = try #require(socket.response())
      #expect(answer["connection"] == "close", "\(request)")
      #expect(socket.isAtEnd(), "\(request)")
    }
    let old = try server.connect()
    for _ in 0..<2 {
      old.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(try #require(old.response())["connection"] == "keep-alive")
    }
  }

  @Test func `a list of what concerns the connection has few members`() throws {
    let server = try TestServer()
    for (count, status) in [(63, 200), (64, 400), (20_000, 400)] {
      let socket = try server.connect()
      let list = String(repeating: "a,", count: count) + "close"
      socket.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: \(list)\r\n\r\n")
      let answer = try #require(socket.response())
      #expect(answer.status == status && answer["connection"] == "close", "\(count)")
      #expect(socket.isAtEnd())
    }
  }

  @Test func answersPipelinedRequestsInOrder() throws {
    let server = try TestServer()
    let socket = try server.connect()
    let count = 200
    socket.send(
      (0..<count).map { i in
        i % 3 == 0
          ? "POST /\(i) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
          : "GET /\(i) HTTP/1.1\r\nHost: x\r\n\r\n"
      }.joined())
    for i in 0..<count {
      let answer = try #require(socket.response())
      #expect(answer.text == (i % 3 == 0 ? "POST /\(i) abc" : "GET /\(i) "))
    }
  }

  @Test func pipelinedRequestsWaitForADeferredReply() throws {
    let held = Held()
    let server = try TestServer { request, reply in
      if request.path == "/slow" { held.add(reply) } else { TestServer.echo(request, reply) }
    }
    let socket = try server.connect(
      sending: "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /quick HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(server.eventually { held.count == 1 })
    held.answerAll()
    #expect(try #require(socket.response()).text == "late")
    #expect(try #require(socket.response()).text == "GET /quick ")
  }

  @Test func answersAClientThatHasClosedItsHalf() throws {
    let held = Held()
    // More than the sockets' buffers hold, so that the answer is still being written at the close.
    let large = [UInt8](repeating: 65, count: 8 << 20)
    let server = try TestServer { request, reply in
      if request.path == "/slow" {
        held.add(reply)
      } else {
        reply(HTTPResponse(status: 200, body: large))
      }
    }
    let socket = try server.connect(sending: "GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    socket.finishSending()
    #expect(try #require(socket.response()).body == large)
    #expect(socket.isAtEnd())

    let slow = try server.connect(sending: "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
    slow.finishSending()
    #expect(server.eventually { held.count == 1 })
    held.answerAll()
    #expect(try #require(slow.response()).text == "late")
  }

  @Test func knowsClientsApartAndNoticesThatTheyLeave() throws {
    let requests = Locked<[HTTPRequest]>([])
    let held = Held()
    let server = try TestServer { request, reply in
      requests.withLock { $0.append(request) }
      held.add(reply)
    }
    var sockets: [TestConnection] = []
    for (number, host) in [1, 2, 1, 3, 2].enumerated() {
      let socket = try server.connect(from: UInt32(host))
      socket.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(server.eventually { held.count == number + 1 })
      sockets.append(socket)
    }
    let taken = requests.withLock { $0 }
    let clients = taken.map(\.client)
    #expect(clients[0] == clients[2] && clients[1] == clients[4])
    #expect(Set(clients).count == 3)
    sockets[1].close()
    sockets[2].finishSending()
    sockets[3].reset()
    #expect(server.eventually { taken.map(\.isAbandoned) == [false, true, true, true, false] })
    held.answerAll()
    for number in [0, 2, 4] { #expect(sockets[number].response()?.text == "late") }
    requests.withLock { $0 = [] }
  }

  @Test func survivesClientsThatVanish() throws {
    let held = Held()
    let large = [UInt8](repeating: 65, count: 4 << 20)
    let server = try TestServer { request, reply in
      if request.path == "/slow" {
        held.add(reply)
      } else {
        reply(HTTPResponse(status: 200, body: large))
      }
    }
    for i in 0..<60 {
      let socket = try server.connect(
        sending: "GET /\(i % 2 == 0 ? "slow" : "large") HTTP/1.1\r\nHost: x\r\n\r\n")
      if i % 2 == 0 { #expect(server.eventually { held.count == i / 2 + 1 }) }
      if i % 4 < 2 { socket.reset() } else { socket.close() }
    }
    let replies = held.takeAll()
    #expect(replies.count == 30)
    for reply in replies {
      reply(HTTPResponse(status: 200, body: large))
      reply(HTTPResponse(status: 200, body: large))
    }
    #expect(server.eventually { server.server.openConnections == 0 })
  }

  @Test func closesIdleConnections() throws {
    let server = try TestServer { $0.idleTimeout = 1 }
    let silent = try server.connect()
    let half = try server.connect(sending: "GET / HT")
    let kept = try server.connect(sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try #require(kept.response()).status == 200)
    for socket in [silent, half, kept] { #expect(socket.isAtEnd()) }
    #expect(server.eventually { server.server.openConnections == 0 })
  }

  @Test func turnsAwayRequestsThatArriveTooSlowly() throws {
    let server = try TestServer {
      $0.paceSeconds = 1
      $0.minimumRate = 1000
    }
    let post = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"
    let starts = [
      "G", "GET / HTTP/1.1\r\nHost: x\r\nX: ", post, post + "abc",
      "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHo",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5000\r\na",
    ]
    let slow = try starts.map { start in
      return try server.connect(sending: start)
    }
    let idle = try server.connect()
    let steady = try server.connect(sending: post)
    var sent = 0
    #expect(
      server.eventually {
        if sent < 96_000 {
          steady.send([UInt8](repeating: 65, count: 200))
          sent += 200
        }
        for socket in slow { socket.send("a") }
        return server.server.openConnections == 2
      })
    steady.send([UInt8](repeating: 65, count: 100_000 - sent))
    #expect(try #require(steady.response()).status == 200)
    for (index, socket) in slow.enumerated() {
      if index == 4 { #expect(socket.response()?.status == 200) }
      let answer = try #require(socket.response(), "\(starts[index])")
      #expect(answer.status == 408 && answer.isProblem, "\(starts[index])")
      #expect(answer["connection"] == "close")
    }
    idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(idle.response()?.status == 200)
  }

  @Test func boundsTheBytesOfRequestsThatAreArriving() throws {
    let server = try TestServer {
      $0.maximumBodyBytes = 1 << 20
      $0.maximumInputBytes = 4 << 20
    }
    let healthy = try server.connect()
    let size = 900_000
    let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n"
    for _ in 0..<3 {
      let uploads = try (0..<10).map { number in
        let socket = try server.connect(sending: head)
        socket.send([UInt8](repeating: 65, count: 800_000 + number))
        return socket
      }
      healthy.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
      #expect(try #require(healthy.response()).text == "POST / ab")
      var statuses: [Int: Int] = [:]
      for (number, socket) in uploads.enumerated() {
        socket.send([UInt8](repeating: 65, count: size - 800_000 - number))
        let answer = try #require(socket.response())
        #expect(answer.status == 200 || answer.isProblem)
        statuses[answer.status, default: 0] += 1
      }
      #expect(statuses[200, default: 0] >= 4 && statuses[503, default: 0] >= 1, "\(statuses)")
    }
  }

  @Test func countsHeaderFieldsAndLetsSmallRequestsThrough() throws {
    let server = try TestServer {
      $0.maximumBodyBytes = 100_000
      $0.maximumInputBytes = 1 << 20
    }
    // Each field takes more memory than its two bytes: 13 kB for those of a head.
    let head =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n"
      + String(repeating: "a:\r\n", count: 100)
    let greedy = try (0..<100).map { _ in try server.connect(sending: head) }
    let small = try server.connect(
      sending: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
    #expect(server.eventually { server.server.openConnections <= 80 })
    small.send("b")
    #expect(small.response()?.text == "POST / ab")
    for socket in greedy { socket.finishSending() }
    #expect(greedy.filter { $0.response()?.status == 503 }.count >= 20)
  }

  @Test func closesConnectionsThatLinger() throws {
    let server = try TestServer { $0.paceSeconds = 1 }
    let socket = try server.connect(sending: "garbage\r\n\r\n")
    #expect(socket.response()?.status == 400)
    // A byte now and then doesn't keep the descriptor for ever.
    #expect(server.eventually { !socket.send("a") })
  }

  @Test func boundsTheBytesOfResponsesThatNobodyTakes() throws {
    let large = [UInt8](repeating: 65, count: 12 << 20)
    let server = try TestServer(change: { $0.maximumOutputBytes = 30 << 20 }) { request, reply in
      reply(HTTPResponse(status: 200, body: request.path == "/large" ? large : [66]))
    }
    let greedy = try (0..<10).map { _ in
      try server.connect(sending: "GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    }
    #expect(server.eventually { server.server.openConnections < 10 })
    let healthy = try server.connect(sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try #require(healthy.response()).status == 200)
    let whole = greedy.filter { $0.response()?.body == large }
    #expect(whole.count >= 2 && whole.count <= 6, "\(whole.count)")
    // One that is alone may be as large as it likes.
    let lone = try TestServer(change: { $0.maximumOutputBytes = 1 << 20 }) { _, reply in
      reply(HTTPResponse(status: 200, body: large))
    }
    let socket = try lone.connect(sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(socket.response()?.body == large)
  }

  @Test func closesConnectionsThatTakeTheirResponseTooSlowly() throws {
    let large = [UInt8](repeating: 65, count: 32 << 20)
    let server = try TestServer(change: { ($0.paceSeconds, $0.minimumRate) = (1, 100_000) }) {
      $1(HTTPResponse(status: 200, body: large))
    }
    let (stalled, steady) = (try server.connect(), try server.connect())
    for socket in [stalled, steady] {
      socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /behind HTTP/1.1\r\nHost: x\r\n\r\n")
    }
    var taken = 0
    #expect(
      server.eventually {
        if taken < 24 << 20 { taken += steady.receive(atMost: 1 << 14).count }
        return server.server.openConnections == 1
      })
    while taken < large.count, case let part = steady.receive(atMost: 1 << 20), !part.isEmpty {
      taken += part.count
    }
    #expect(taken >= large.count)
  }

  @Test func limitsConnections() throws {
    let server = try TestServer {
      $0.maximumConnections = 200
      $0.threads = 2
    }
    for round in 0..<3 {
      var idle: [TestConnection] = []
      for _ in 0..<200 { idle.append(try server.connect()) }
      #expect(server.eventually { server.server.openConnections == 200 })
      for _ in 0..<5 {
        let socket = try server.connect(sending: "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = try #require(socket.response())
        #expect(answer.status == 503)
        #expect(answer.isProblem)
        #expect(answer["connection"] == "close")
        #expect(socket.isAtEnd())
      }
      idle[round].send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(idle[round].response()?.status == 200)
      idle.removeAll()
      #expect(server.eventually { server.server.openConnections == 0 })
    }
  }
}
