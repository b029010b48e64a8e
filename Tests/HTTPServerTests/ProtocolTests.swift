import HTTPServer
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct ProtocolTests {
  private func answer(_ server: TestServer, _ request: String, head: Bool = false) throws
    -> TestResponse
  {
    let socket = try server.connect(sending: request)
    return try #require(socket.response(head: head), "\(request.prefix(60))")
  }

  @Test func answersGarbageWithAProblem() throws {
    let server = try TestServer()
    for request in HostileRequests.garbage {
      let got = try answer(server, request)
      #expect(got.status == 400, "\(request.debugDescription)")
      #expect(got.isProblem, "\(request.debugDescription)")
      #expect(got["connection"] == "close")
    }
    let raw = try server.connect()
    raw.send(Array("GET /".utf8) + [0xFF, 0xC3] + Array(" HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    #expect(try #require(raw.response()).isProblem)
  }

  @Test func refusesWhatServersReadInDifferentWays() throws {
    let server = try TestServer()
    let post = "POST / HTTP/1.1\r\nHost: x\r\n"
    let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
    for request in [
      "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\0X: a\r\n\r\n",
      "GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n", "\0GET / HTTP/1.1\r\nHost: x\r\n\r\n",
      post + "Content-Length: 2\0\r\n\r\nab", post + "Content-Length: 0x2\r\n\r\nab",
      chunked + "0x2\r\nab\r\n0\r\n\r\n", chunked + "+2\r\nab\r\n0\r\n\r\n",
      chunked + "-0\r\n\r\n", chunked + " 2\r\nab\r\n0\r\n\r\n",
      chunked + "2 junk\r\nab\r\n0\r\n\r\n",
      chunked + "2\0\r\nab\r\n0\r\n\r\n", chunked + "2;a=\0\r\nab\r\n0\r\n\r\n",
      chunked + ";a\r\n\r\n", chunked + "2\nab\r\n0\r\n\r\n", chunked + "2\r\nabc\r\n0\r\n\r\n",
      chunked + "2\r\nab0\r\n\r\n", chunked + "2\r\nab\r\n\r\n0\r\n\r\n", chunked + "\r\n0\r\n\r\n",
      chunked + "2;\(String(repeating: "a", count: 5000))\r\nab\r\n0\r\n\r\n",
      chunked + "0\r\nT: \0\r\n\r\n", chunked + String(repeating: "0", count: 1 << 20),
      // Lines that end in a bare LF, and a bare CR within one.
      "GET / HTTP/1.1\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\n\n", "GET / HTTP/1.1\nHost: x\n\n",
      "GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\r\n",
      "GET /\r HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\r\nHost: x\r\n\r\n",
      chunked + "2;a\rb\r\nab\r\n0\r\n\r\n", chunked + "2;a\nab\r\n0\r\n\r\n",
      chunked + "2\r\nab\n0\r\n\r\n", chunked + "2\r\nab\r\n0\n\r\n",
      chunked + "2\r\nab\r\n0\r\n\n", chunked + "0\r\nT: u\n\r\n",
      // Folded lines, and whitespace where there must be none.
      "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\tc\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n \r\n\r\n",
      post + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
      "GET / HTTP/1.1\r\n Host: x\r\n\r\n", "GET / HTTP/1.1\r\n A: b\r\nHost: x\r\n\r\n",
      " GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "GET / HTTP/1.1\r\nHost\t: x\r\n\r\n",
      post + "Content-Length : 2\r\n\r\nab", chunked + "0\r\nT : u\r\n\r\n",
      chunked + "0\r\n T: u\r\n\r\n", chunked + "0\r\nT: u\r\n v\r\n\r\n",
      // Names that aren't tokens.
      post + "Transfer-Encoding\u{B}: chunked\r\n\r\n0\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nA\u{7F}: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nÄ: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n(A): b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nA;B: b\r\n\r\n", chunked + "0\r\n: u\r\n\r\n",
      chunked + "0\r\nT(: u\r\n\r\n",
      // Bodies whose end is told in several ways, or in none that is known.
      post + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
      post + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\nab\r\n0\r\n\r\n",
      post + "Content-Length: 2\r\nContent-Length: 02\r\n\r\nab",
      post + "Content-Length: 2, 2\r\n\r\nab", post + "Content-Length: 2 2\r\n\r\nab",
      post + "Content-Length:\r\n\r\nab", post + "Content-Length: 2\u{B}\r\n\r\nab",
      post + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: identity\r\n\r\n", post + "Transfer-Encoding:\r\n\r\n",
      post + "Transfer-Encoding: xchunked\r\n\r\n", post + "Transfer-Encoding: \"chunked\"\r\n\r\n",
      post + "Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: \u{B}chunked\r\n\r\n",
      "POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n",
      // Versions that aren't HTTP/1.
      "GET / HTTP/0.9\r\nHost: x\r\n\r\n", "GET / HTTP/+1.1\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.01\r\nHost: x\r\n\r\n", "GET / HTTP/\t1.1\r\nHost: x\r\n\r\n",
      "GET / HTTP/1.-1\r\nHost: x\r\n\r\n", "GET / HTTP/1.4294967297\r\nHost: x\r\n\r\n",
      "GET / HTTP/2.0\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "GET / http/1.1\r\nHost: x\r\n\r\n", "GET http:///p HTTP/1.1\r\nHost: x\r\n\r\n",
    ] {
      let got = try answer(server, request)
      #expect(got.status == 400, "\(request.prefix(200).debugDescription)")
      #expect(
        got.isProblem && got["connection"] == "close", "\(request.prefix(200).debugDescription)")
    }
    // And nothing behind such a request is taken for one.
    let socket = try server.connect(
      sending: "GET /a HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(socket.response()?.status == 400)
    #expect(socket.isAtEnd())
    #expect(try answer(server, chunked + "FFFFFFFFFFFFFFFFFFFF\r\n").status == 413)
    for body in [
      "2\r\nab\r\n0\r\n\r\n", "2;ext=1\r\nab\r\n0;last\r\n\r\n", "2 ; a = \"b\"\r\nab\r\n0\r\n\r\n",
      "0002\t\r\nab\r\n000\r\nT: u\r\n\r\n", "1\r\na\r\n1\r\nb\r\n0\r\n\r\n",
      "2;\(String(repeating: "a", count: 4000))\r\nab\r\n0\r\n\r\n",
    ] {
      let socket = try server.connect()
      for _ in 0..<2 {  // and what follows is the next request
        for byte in chunked + body { socket.send(String(byte)) }
        #expect(socket.response()?.text == "POST / ab", "\(body.prefix(200).debugDescription)")
      }
    }
    #expect(try answer(server, "GET / HTTP/1.0\r\n\r\n").status == 200)
  }

  @Test func configurationMakesTheErrors() throws {
    let server = try TestServer {
      $0.protocolErrorResponse = { status, reason in
        HTTPResponse(status: status, body: Array("\(status) \(reason)".utf8))
      }
    }
    #expect(try answer(server, "garbage\r\n\r\n").text.hasPrefix("400 "))
  }

  @Test func letsEveryMethodThrough() throws {
    let server = try TestServer()
    for method in ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
      let got = try answer(
        server, "\(method) /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
      #expect(got.text == "\(method) /x hi")
    }
    #expect(try answer(server, "TRACE /x HTTP/1.1\r\nHost: x\r\n\r\n").text == "TRACE /x ")
    #expect(
      try answer(server, "CONNECT a.b:80 HTTP/1.1\r\nHost: x\r\n\r\n").text == "CONNECT a.b:80 ")
    for method in ["BREW", "PROPFIND", "get", "X"] {
      let got = try answer(
        server, "\(method) /pot/of/coffee HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
      #expect(got.text == "OTHER /pot/of/coffee ")
      #expect(got["connection"] == "close")
    }
  }

  @Test func headHasTheLengthOfTheGetAndNoBody() throws {
    let server = try TestServer()
    let socket = try server.connect(sending: "GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
    let get = try #require(socket.response())
    socket.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\nGET /y HTTP/1.1\r\nHost: x\r\n\r\n")
    let head = try #require(socket.response(head: true))
    #expect(head["content-length"] == "8")  // "HEAD /x "
    #expect(get["content-length"] == "7")
    #expect(try #require(socket.response()).text == "GET /y ")
  }

  @Test(arguments: [
    "GET /a b HTTP/1.1", "GET  / HTTP/1.1", "GET /\u{1} HTTP/1.1", "GET /\u{B} HTTP/1.1",
    "GET /\u{7F} HTTP/1.1", "G(T / HTTP/1.1", "GET\t/ HTTP/1.1", " GET / HTTP/1.1", "GET HTTP/1.1",
    "GET /  HTTP/1.1", "GET / x HTTP/1.1",
  ])
  func refusesRequestLinesOfOtherForms(line: String) throws {
    let server = try TestServer()
    let socket = try server.connect(
      sending: "\(line)\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try #require(socket.response()).status == 400)
    #expect(socket.response() == nil)
  }

  @Test func passesTargetsThroughRaw() throws {
    let server = try TestServer()
    for (target, path) in [
      ("/a%zz%", "/a%zz%"), ("/a%00b", "/a%00b"), ("/é", "/é"), ("*", "*"), ("//a", "//a"),
      ("http://example.org/p?q=1", "/p?q=1"), ("HTTP://example.org", "/"),
      ("http://example.org?q", "/?q"), ("/?", "/?"), ("/a?b?c", "/a?b?c"),
      ("/\(String(repeating: "x", count: 4000))", "/\(String(repeating: "x", count: 4000))"),
    ] {
      let socket = try server.connect()
      for _ in 0..<2 {  // absolute form keeps the connection, too
        socket.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try #require(socket.response(), "\(target)").text == "GET \(path) ")
      }
    }
  }

  @Test func refusesLargeHeads() throws {
    let server = try TestServer { $0.maximumHeaderBytes = 4096 }
    let long = String(repeating: "a", count: 5000)
    for request in [
      "GET /\(long) HTTP/1.1\r\nHost: x\r\n\r\n", "GET /\(long)",
      "GET / HTTP/1.1\r\nHost: x\r\nX: \(long)\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nX: \(long)",
      "GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X: 123456789\r\n", count: 500) + "\r\n",
      "GET /\(long) HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X: \(long)\r\n", count: 500)
        + "\r\n",
    ] {
      let got = try answer(server, request)
      #expect(got.status == 431)
      #expect(got.isProblem)
    }
    let wide = try TestServer()
    let query = String(repeating: "q", count: 60_000)
    #expect(try answer(wide, "GET /?\(query) HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
  }

  @Test func headerInjectionIsImpossible() throws {
    let server = try TestServer { _, reply in
      reply(HTTPResponse(status: 200, headers: [(name: "X-A", value: "a\r\nX-B: b\r\n\r\n<html>")]))
    }
    let got = try answer(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(got["x-b"] == nil)
    #expect(got["x-a"] == "a  X-B: b    <html>")
  }

  @Test func trailersAreNoFieldsOfTheHead() throws {
    let server = try TestServer { request, reply in
      let names = ["Authorization", "Content-Length", "Host", "T", "X-Forwarded-For", ""]
      let text = names.map { request.headers[$0] ?? "-" }.joined(separator: "|")
      reply(HTTPResponse(status: 200, body: Array(text.utf8)))
    }
    let socket = try server.connect()
    for _ in 0..<2 {
      socket.send(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: u\r\nHost: y\r\n"
          + "Authorization: Bearer z\r\nX-Forwarded-For: 1.2.3.4\r\nContent-Length: 3\r\n"
          + "Transfer-Encoding: identity\r\nConnection: close\r\nX-Request-Id: t\r\n\r\n")
      let got = try #require(socket.response())
      #expect(got.status == 200 && got.text == "-|-|x|-|-|-")
      #expect(got["connection"] == nil && got["x-request-id"] != "t")
    }
    let many = try server.connect(
      sending: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
    many.send(String(repeating: "T: 0123456789\r\n", count: 10_000) + "\r\n")
    #expect(many.response()?.status == 431)
  }

  @Test func theHostOfAnAbsoluteTargetCounts() throws {
    let server = try TestServer { request, reply in
      reply(HTTPResponse(status: 200, body: Array("\(request.headers["Host"] ?? "-")".utf8)))
    }
    for (target, host) in [
      ("http://a.example:81/p", "a.example:81"), ("HTTPS://a.example?q", "a.example"),
      ("http://a.example", "a.example"), ("/http://a.example/", "x"), ("*", "x"),
    ] {
      let socket = try server.connect()
      for head in ["HTTP/1.1\r\nHost: x", "HTTP/1.0\r\nConnection: keep-alive\r\nHost: x"] {
        socket.send("GET \(target) \(head)\r\n\r\n")
        #expect(socket.response()?.text == host, "\(target)")
      }
    }
    #expect(
      try answer(server, "GET http://a.example/ HTTP/1.0\r\n\r\n").text == "a.example")
  }

  @Test func ordinaryRequestsOfManyProgramsAreRead() throws {
    let server = try TestServer()
    for head in [
      // curl, a browser, and what nginx and HAProxy send on.
      "User-Agent: curl/7.88.1\r\nAccept: */*",
      "sec-ch-ua: \"Chromium\";v=\"120\", \"Not A(Brand\";v=\"24\"\r\nAccept-Language: de,en;q=0.9\r\n"
        + "Cookie: a=b; c=\"d\"\r\nUpgrade-Insecure-Requests: 1\r\nUser-Agent: Mozilla/5.0 (X11)",
      "X-Real-IP: ::1\r\nX-Forwarded-For: ::1\r\nConnection: close",
      "Forwarded: for=\"[2001:db8::1]:80\";proto=https\r\nx_y.z~!#$%&'*+-^`|: 1\r\nEmpty:\r\nEmpty:   ",
      "Name:no space\r\nName: \t space and tab \t \r\nBytes: \u{E4}\u{7F}",
    ] {
      let got = try answer(server, "GET /p?q HTTP/1.1\r\nHost: x\r\n\(head)\r\n\r\n")
      #expect(got.status == 200 && got.text == "GET /p?q ", "\(head)")
    }
    let repeated = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab"
    #expect(try answer(server, repeated).text == "POST / ab")
    #expect(try answer(server, "GET / HTTP/1.9\r\nHost: x\r\n\r\n").status == 200)
  }

  @Test func joinsRepeatedFields() throws {
    let server = try TestServer { request, reply in
      let text = "\(request.headers["ACCEPT"] ?? "-")|\(request.headers["x-none"] ?? "-")"
      reply(HTTPResponse(status: 200, body: Array(text.utf8)))
    }
    let got = try answer(
      server, "GET / HTTP/1.1\r\nHost: x\r\nAccept: a\r\naccept:  b \r\nX: \r\n\r\n")
    #expect(got.text == "a, b|-")
  }
}
