import HTTPServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct BodyTests {
  @Test func readsChunkedBodies() throws {
    let server = try TestServer()
    let socket = try server.connect()
    for _ in 0..<3 {
      socket.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
      for piece in [
        "3\r\nabc\r\n", "A", " \r\n01234", "56789\r\n", "0\r\nTrailer: t\r\n", "\r\n",
      ] {
        socket.send(piece)
      }
      #expect(try #require(socket.response()).text == "POST / abc0123456789")
    }
  }

  /// White space is spaces and tabs (RFC 9110, section 5.6.3).
  @Test(arguments: [":\t", ": \t", ":\t \t", ":  ", ":"])
  func readsFieldsBehindWhiteSpace(_ colon: String) throws {
    let server = try TestServer { request, reply in
      reply(
        HTTPResponse(
          status: 200, body: Array("\(request.headers["X-A"] ?? "-") \(request.body.count)".utf8)))
    }
    let socket = try server.connect(
      sending:
        "POST / HTTP/1.1\r\nHost\(colon)x\r\nX-A\(colon)a\tb:\tc\r\nContent-Length\(colon)3\r\n\r\nabc"
    )
    #expect(try #require(socket.response()).text == "a\tb:\tc 3")
    socket.send(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding\(colon)chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n")
    #expect(try #require(socket.response()).text == "- 2")
  }

  @Test func readsLargeBodies() throws {
    let server = try TestServer { request, reply in
      let (sum, padded) = request.body.withUnsafeBytes { bytes in
        let behind = UnsafeRawBufferPointer(
          start: bytes.baseAddress.map { $0 + bytes.count }, count: RequestBody.padding)
        return (bytes.reduce(0) { $0 &+ Int($1) }, behind.allSatisfy { $0 == 0 })
      }
      reply(HTTPResponse(status: 200, body: Array("\(request.body.count) \(sum) \(padded)".utf8)))
    }
    let socket = try server.connect()
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let sum = body.reduce(0) { $0 + Int($1) }
    socket.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n")
    socket.send(body)
    #expect(try #require(socket.response()).text == "\(body.count) \(sum) true")
  }

  @Test func refusesLargeBodiesAndIsHeard() throws {
    let server = try TestServer { $0.maximumBodyBytes = 100_000 }
    let body = [UInt8](repeating: 65, count: 4_000_000)
    for _ in 0..<5 {
      let counted = try server.connect(
        sending: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n")
      counted.send(body)
      let first = try #require(counted.response())
      #expect(first.status == 413)
      #expect(first.isProblem)

      let oneChunk = try server.connect(
        sending: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3D0900\r\n")
      oneChunk.send(body)
      #expect(try #require(oneChunk.response()).status == 413)

      let chunked = try server.connect(
        sending: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<40 where chunked.send("186A\r\n") {
        chunked.send(Array(body[..<0x186A]) + [13, 10])
      }
      #expect(try #require(chunked.response()).status == 413)
    }
    let exact = try server.connect(
      sending: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
    exact.send(Array(body[..<100_000]))
    #expect(try #require(exact.response()).status == 200)
  }

  @Test func answersExpectations() throws {
    let server = try TestServer { $0.maximumBodyBytes = 1000 }
    let socket = try server.connect()
    for _ in 0..<2 {
      socket.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
      #expect(try #require(socket.response()).status == 100)
      socket.send("hi")
      #expect(try #require(socket.response()).text == "POST / hi")
    }
    // The body comes at once: no 100 needed, nothing lost.
    socket.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nhi")
    #expect(try #require(socket.response()).text == "POST / hi")
    socket.send(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
    #expect(try #require(socket.response()).status == 413)

    let other = try server.connect(
      sending: "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: miracles\r\n\r\nhi")
    let refused = try #require(other.response())
    #expect(refused.status == 417)
    #expect(refused.isProblem)
    #expect(other.isAtEnd())
  }
}
