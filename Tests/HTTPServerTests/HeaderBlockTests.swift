import HTTPServer
import Testing

/// The header lines that are sent, compared with the prepared response.
@Suite(.timeLimit(.minutes(5))) struct HeaderBlockTests {
  private static let transport = ["date", "content-length", "connection", "x-request-id"]

  @Test func `what is sent is what is prepared`() throws {
    let long = String(repeating: "{\"a\":1},", count: 300)
    let answers = [
      HTTPResponse(status: 200, headers: [(name: "Content-Type", value: "application/json")]),
      HTTPResponse(
        status: 200, headers: [(name: "Content-Type", value: "application/json")],
        body: Array(long.utf8)),
      HTTPResponse(
        status: 200,
        headers: [
          (name: "Content-Type", value: "text/plain"), (name: "vary", value: "a,b,c,d,e,f,Accept"),
          (name: "X", value: ""), (name: "Date", value: "never"), (name: "Connection", value: "x"),
          (name: "Y", value: "é \u{7F}\u{1}\t!"),
        ],
        body: Array(long.utf8), etag: String(repeating: "t", count: 300)),
      HTTPResponse(status: 304, headers: [(name: "Vary", value: "*")], etag: "v"),
      HTTPResponse(status: 404, body: [65]), HTTPResponse(status: 204),
    ]
    let server = try TestServer { request, reply in
      reply(answers[Int(request.path.dropFirst()) ?? 0])
    }
    for (number, answer) in answers.enumerated() {
      for (name, value) in [
        ("X-None", ""), ("Accept-Encoding", "gzip"), ("If-None-Match", "*"),
        ("If-None-Match", "\"v\""),
      ] {
        for (method, word) in [(HTTPMethod.get, "GET"), (.head, "HEAD"), (.post, "POST")] {
          let socket = try server.connect(
            sending: "\(word) /\(number) HTTP/1.1\r\nHost: x\r\n\(name): \(value)\r\n\r\n")
          let got = try #require(socket.response(head: method == .head))
          let wanted = answer.prepared(
            for: HTTPRequest(method: method, headers: HTTPHeaders([(name: name, value: value)])))
          #expect(got.status == wanted.status, "\(number) \(word) \(name)")
          #expect(method == .head || got.body == wanted.body, "\(number) \(word) \(name)")
          let sent = wanted.headers.filter { !Self.transport.contains($0.name.lowercased()) }
          for field in sent {
            let value = String(
              field.value.unicodeScalars.map {
                $0.value < 32 || $0.value == 127 ? " " : Character($0)
              })
            #expect(
              got[field.name.lowercased()]?.trimmingSpaces == value.trimmingSpaces,
              "\(number) \(word) \(name): \(field.name)")
          }
          #expect(got["x-none"] == nil && got["date"] != "never")
        }
      }
    }
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
