import HTTPServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct ClientTests {
  @Test func sendsAndKeepsItsConnection() throws {
    let server = try TestServer()
    let client = try HTTPClient(url: "http://127.0.0.1:\(server.port)/base/")
    for method in [HTTPMethod.get, .post, .put, .delete, .patch, .options] {
      let answer = try client.send(
        method, "/x?y", headers: [(name: "X-A", value: "b")], body: Array("hello".utf8))
      #expect(answer.status == 200)
      #expect(String(decoding: answer.body, as: UTF8.self) == "\(method) /base/x?y hello")
      #expect(answer.header("content-type") == "text/plain")
    }
    let head = try client.send(.head, "/")
    #expect(head.body.isEmpty)
    #expect(head.header("content-length") == "12")
    // What may not be sent twice has a connection of its own, and then the one before is closed.
    #expect(server.eventually { server.server.openConnections == 1 })
  }

  @Test func sendsMuch() throws {
    let server = try TestServer { request, reply in
      reply(HTTPResponse(status: 200, body: request.body.withUnsafeBytes { Array($0) }))
    }
    let client = try HTTPClient(url: "http://localhost:\(server.port)")
    let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    #expect(try client.send(.post, "/", body: body).body == body)
  }

  @Test func opensAnotherConnectionWhenItsOwnWasClosed() throws {
    let server = try TestServer { $0.idleTimeout = 1 }
    let client = try HTTPClient(url: "http://127.0.0.1:\(server.port)")
    for _ in 0..<2 {
      #expect(try client.send(.get, "/").status == 200)
      #expect(server.eventually { server.server.openConnections == 0 })
    }
  }

  @Test func hearsARefusalWhileItSends() throws {
    let server = try TestServer { $0.maximumBodyBytes = 1000 }
    let client = try HTTPClient(url: "http://127.0.0.1:\(server.port)")
    let body = [UInt8](repeating: 65, count: 2_000_000)
    #expect(try client.send(.put, "/", body: body).status == 413)
    #expect(try client.send(.get, "/").status == 200)
  }

  @Test func saysWhatIsWrong() throws {
    for url in [
      "ftp://a", "a", "http://", "http://a:b", "http://a:70000", "http://u@h", "http://a?b",
    ] {
      #expect(throws: HTTPClientError.badURL(url)) { try HTTPClient(url: url) }
    }
    let held = Held()
    let server = try TestServer { _, reply in held.add(reply) }
    let client = try HTTPClient(url: "http://127.0.0.1:\(server.port)")
    let name = "http://127.0.0.1:\(server.port)"
    #expect(throws: HTTPClientError.timeout(name)) { try client.send(.post, "/", timeout: 1) }
    held.answerAll()
    #expect(throws: HTTPClientError.self) { try client.send(.get, "/ b") }
    #expect(throws: HTTPClientError.self) {
      try client.send(.get, "/", headers: [(name: "a", value: "b\r\nc: d")])
    }
    server.server.shutdown()
    #expect(throws: HTTPClientError.unreachable(name)) { try client.send(.get, "/") }
  }
}
