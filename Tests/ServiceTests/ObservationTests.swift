import Glibc
import PinclusterService
import TestSupport
import Testing

/// What operators see of requests, of the binary over real sockets.
@Suite(.timeLimit(.minutes(5))) struct ObservationTests {
  private static let view = "/collections/c/clusters?bbox=0,0,9,9&zoom=3"
  private static let secret = "5ecre7-value"

  private func lines(_ server: ServerProcess, _ event: String) -> [TestJSON] {
    server.log.filter { $0["event"]?.string == event }
  }

  @Test func aFailureIsLoggedWithItsRequest() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    let (path, away) = (server.data.path, server.data.path + "-away")
    #expect(rename(path, away) == 0)
    defer { _ = rename(away, path) }
    let answer = try server.client.send(
      "DELETE", "/collections/c/items/1", headers: [("X-Request-Id", "gone-1")])
    #expect(answer.status == 503 && answer.header("Retry-After") == "1", "\(answer.text)")
    #expect(eventually { !lines(server, "failed").isEmpty })
    let line = try #require(lines(server, "failed").first)
    #expect(line["requestId"]?.string == "gone-1" && line["status"] == 503, "\(line.text)")
    #expect(line["route"]?.string == "/collections/{collectionId}/items/{featureId}")
    #expect(line["message"]?.string?.contains("removed or replaced") == true)
    server.kill()
  }

  @Test func idsOfRequestsAreTakenOrMade() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    let connection = try server.client.connect()
    func id(_ sent: String?, _ path: String = "/health/live") throws -> String {
      let fields = sent.map { [("x-request-id", $0)] } ?? []
      return try #require(
        try connection.send("GET", path, headers: fields).header("X-Request-Id"))
    }
    let all = "azAZ09._~:+/=-"
    for own in ["a", all, String(repeating: "x", count: 128)] {
      #expect(try id(own) == own)
      #expect(try id(own, "/nothing") == own)
    }
    var made = Set<String>()
    let bad = [nil, "", "a b", "a\"", "é", "a,b", "<x>", String(repeating: "x", count: 129)]
    for own in bad + Array(repeating: nil, count: 100) {
      let text = try id(own)
      #expect(text != own && text.utf8.count == 15, "\(text)")
      made.insert(text)
    }
    #expect(made.count == bad.count + 100)
    // No part of one is that of another, which would tell of other requests on the same loop.
    for part in [made.map { $0.prefix(8) }, made.map { $0.suffix(8) }] {
      #expect(Set(part).count == made.count)
    }
    // Also where nothing is answered but an error, a head, or a stream.
    for text in ["BAD\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"] {
      #expect(try server.client.rawResponse(text).header("X-Request-Id") != nil, "\(text)")
    }
    let stream = try server.client.connect()
    try stream.write(
      TestConnection.request(
        "GET", "/collections/c/changes?bbox=0,0,9,9&zoom=2", headers: [("X-Request-Id", "w:1")]))
    #expect(try stream.receiveHead().header("X-Request-Id") == "w:1")
    let answer = try server.client.get("/")
    #expect(answer.header("Access-Control-Expose-Headers")?.contains("X-Request-Id") == true)
  }

  @Test func requestsAreCountedByRoute() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    for number in 0..<3 {
      _ = try server.client.get("/collections/c/items/\(number)")
      _ = try server.client.get("/nothing/\(number)?x")
    }
    _ = try server.client.send("POST", Self.view)
    _ = try server.client.send("BREW", "/metrics")
    var text = ""
    let item = #"route="/collections/{collectionId}/items/{featureId}""#
    let clusters = #"route="/collections/{collectionId}/clusters""#
    let wanted = [
      #"requests_total{method="GET",\#(item),status="200"} 1"#,
      #"requests_total{method="GET",\#(item),status="404"} 2"#,
      #"requests_total{method="GET",route="(unknown)",status="404"} 3"#,
      #"requests_total{method="OTHER",route="/metrics",status="405"} 1"#,
      #"request_duration_seconds_count{method="GET",\#(item)} 3"#,
      #"request_duration_seconds_bucket{method="GET",\#(item),le="+Inf"} 3"#,
      #"request_duration_seconds_count{method="POST",\#(clusters)} 1"#,
      #"build_info{version="\#(Command.version)","#,
    ]
    // A request is counted after its answer.
    let areThere = eventually {
      text = (try? server.client.get("/metrics").text) ?? ""
      return wanted.allSatisfy { text.contains("pincluster_\($0)") }
    }
    #expect(areThere, "\(wanted.filter { !text.contains("pincluster_\($0)") })")
    #expect(text.contains("\npincluster_commit_duration_seconds_count 1\n"))
    #expect(text.contains("\nprocess_resident_memory_bytes "))
    #expect(!text.contains("/nothing"))
  }

  @Test func slowAndRefusedRequestsAreLoggedWithoutValues() throws {
    var generator = SeededGenerator(seed: 15)
    let features = TwinFeature.cities(4000, towns: 400, using: &generator)
    let server = try ServerProcess.holding(features, in: "c", arguments: ["--slow-request", "1"])
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    let fields = [
      ("Content-Type", "application/json"), ("Authorization", "Bearer \(Self.secret)"),
      ("X-Request-Id", "mine"), ("traceparent", "00-\(trace)-00f067aa0ba902b7-01"),
    ]
    // All features are searched for each of the properties, which takes longer than a millisecond.
    let filter = (0..<31).map { "p\($0) = '\(Self.secret)'" }.joined(separator: " OR ")
    let body = #"{"bbox":[-180,-80,180,80],"zoom":3,"filter":"\#(filter)"}"#
    _ = try server.client.send(
      "POST", "/collections/c/clusters?f=geojson", headers: fields, body: Array(body.utf8))
    // Larger than any body that isn't features.
    let large = [UInt8](repeating: UInt8(ascii: " "), count: 2 << 20)
    for _ in 0..<30 {
      let refused = try server.client.send(
        "POST", "/collections/c/clusters?f=json", headers: fields, body: large)
      #expect(refused.status == 413)
    }
    #expect(eventually { !lines(server, "slow request").isEmpty })
    let slow = try #require(
      lines(server, "slow request").first { $0["requestId"]?.string == "mine" })
    #expect(slow["route"]?.string == "/collections/{collectionId}/clusters")
    #expect(slow["traceId"]?.string == trace)
    #expect(slow["query"]?.string == "f=7&bbox=17&zoom=1&filter=\(filter.utf8.count + 2)")
    #expect(slow["bytesIn"]?.int == body.utf8.count)
    #expect(slow["status"]?.int == 200 && slow["milliseconds"] != nil)
    let refused = lines(server, "refused request")
    #expect((1..<30).contains(refused.count))
    #expect(refused.first?["reason"]?.string == "body_size")
    #expect(refused.first?["status"]?.int == 413)
    let write = lines(server, "slow request").first { $0["committed"] != nil }
    #expect(write?["writesInCommit"]?.int == 1)
    #expect(!server.standardError.contains(Self.secret))
  }

  @Test func signalsChangeTheLevel() throws {
    let server = try ServerProcess.ready()
    func levels() -> [String] { lines(server, "log level").compactMap { $0["now"]?.string } }
    func send(_ signal: Int32, _ level: String) {
      let before = levels().count
      server.process.signal(signal)
      #expect(eventually { levels().count == before + 1 } && levels().last == level)
    }
    func targets() -> [String] { lines(server, "request").compactMap { $0["target"]?.string } }
    // A request is logged after its answer, and before the next one of the connection is read.
    let connection = try server.client.connect()
    for path in ["/health/live", "/health/ready"] { _ = try connection.send("GET", path) }
    for _ in 0..<2 { send(SIGUSR1, "debug") }
    _ = try connection.send("GET", "/collections")
    #expect(eventually { targets().contains("/collections") })
    send(SIGUSR2, "info")
    _ = try connection.send("GET", "/conformance")
    #expect(server.terminate() == 0)
    #expect(!targets().contains("/health/live") && !targets().contains("/conformance"))
  }
}
