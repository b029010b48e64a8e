import TestSupport
import Testing

/// Clients that do not speak HTTP, or that send it slowly or incompletely.
@Suite(.timeLimit(.minutes(5))) struct HostileConnectionTests {
  @Test func garbageIsAnsweredWithAProblem() throws {
    let server = try ServerProcess.ready()
    for request in HostileRequests.garbage {
      let answer = try server.client.rawResponse(request)
      #expect(answer.fault(status: 400) == nil, "\(request.debugDescription)")
      #expect(answer.header("Connection") == "close", "\(request.debugDescription)")
    }
    server.expectHealthy()
  }

  @Test(arguments: [64, 100]) func servesOnWhenDescriptorsHaveRunOut(limit: Int) throws {
    let server = try ServerProcess.ready(
      launcher: ["/bin/sh", "-c", "ulimit -n \(limit); exec \"$@\"", "sh"])
    let most = try #require(server.log.first?["maxConnections"]?.int)
    #expect((1..<limit).contains(most))
    let early = try server.client.connect()
    #expect(try early.send("GET", "/health/live").status == 200)
    for round in 0..<4 {
      let crowd = (0..<150).compactMap { _ in try? server.client.connect() }
      #expect(crowd.count == 150)
      // The store still has the descriptors that it needs.
      let answer = try early.send(
        "POST", "/collections/c\(round)/items", json: [TwinFeature(round, 2, 3)].featureCollection,
        type: "application/geo+json")
      #expect(answer.status == 200, "\(answer.text)")
      withExtendedLifetime(crowd) {}
    }
    #expect(eventually { (try? server.client.get("/health/ready"))?.status == 200 })
    #expect(server.complaints.isEmpty)
    server.expectHealthy()
  }

  @Test func randomBytesDoNoHarm() throws {
    let server = try ServerProcess.ready()
    var generator = SeededGenerator(seed: 77)
    for _ in 0..<100 {
      var bytes = (0..<generator.int(1...3000)).map { _ in
        UInt8(truncatingIfNeeded: generator.next())
      }
      if generator.chance(0.5) {
        bytes = Array("POST /collections/c/items HTTP/1.1\r\n".utf8) + bytes
      }
      if generator.chance(0.5) { bytes += Array("\r\n\r\n".utf8) }
      let answer = try server.client.raw(bytes)
      let text = String(decoding: answer.prefix(12), as: UTF8.self)
      #expect(answer.isEmpty || text.hasPrefix("HTTP/1.1 4"), "\(text)")
    }
    server.expectHealthy()
  }

  @Test func floodsOfHeaders() throws {
    let server = try ServerProcess.ready()
    let long = String(repeating: "a", count: 100_000)
    for request in [
      "GET / HTTP/1.1\r\nHost: x\r\nX: \(long)\r\n\r\n", "GET / HTTP/1.1\r\n\(long): x\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X: 123456789\r\n", count: 10_000)
        + "\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X: 1\r\n", count: 128) + "\r\n",
      "GET / HTTP/1.1\r\nHost: x\r\nAccept: \(String(repeating: "a,", count: 64))\r\n\r\n",
      "GET /\(long) HTTP/1.1\r\nHost: x\r\n\r\n",
    ] {
      let answer = try server.client.rawResponse(request)
      #expect(answer.fault(status: 431) == nil, "\(request.prefix(30))")
    }
    let folded = String(repeating: " 123456789\r\n", count: 10_000)
    let refused = try server.client.rawResponse(
      "GET / HTTP/1.1\r\nHost: x\r\nX: a\r\n\(folded)\r\n")
    #expect(refused.fault(status: 400) == nil)
    let metrics = try server.client.get("/metrics").text
    #expect(metrics.contains("\npincluster_refused_total{reason=\"head_size\"} 6\n"))
    // As many as the limit allows are fine.
    let many = String(repeating: "X: 1\r\n", count: 127)
    let answer = try server.client.rawResponse(
      "GET /health/live HTTP/1.1\r\nHost: x\r\n\(many)\r\n")
    #expect(answer.status == 200)
    server.expectHealthy()
  }

  @Test func halfOpenConnectionsKeepNobodyOut() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    let beginnings = [
      "", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: x\r\nX: ",
      "POST /collections/c/items HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
      "POST /collections/c/items HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    ]
    var held: [TestConnection] = []
    for number in 0..<200 {
      let connection = try server.client.connect()
      try connection.write(Array(beginnings[number % beginnings.count].utf8))
      held.append(connection)
      if number % 20 == 0 { #expect(try server.json("/collections/c")["featureCount"] == 1) }
    }
    try server.store([TwinFeature(2, 1, 2)], in: "c")
    #expect(try server.json("/collections/c")["featureCount"] == 2)
    // Abandoned connections are closed.
    held.removeAll()
    let isForgotten = eventually {
      let text = (try? server.client.get("/metrics"))?.text ?? ""
      return text.contains("\npincluster_open_connections 1\n")
    }
    #expect(isForgotten)
    server.expectHealthy()
  }

  @Test func silenceIsCutOff() throws {
    let server = try ServerProcess.ready(arguments: ["--idle-timeout", "1"])
    for beginning in [
      "", "GET / HT", "POST /collections/c/items HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
    ] {
      let connection = try server.client.connect()
      try connection.write(Array(beginning.utf8))
      // The server ends the connection; otherwise the client would give up after a minute without an answer.
      let answer = connection.readToEnd()
      let text = String(decoding: answer.prefix(12), as: UTF8.self)
      #expect(answer.isEmpty || text == "HTTP/1.1 408", "\(text)")
      #expect(throws: TestClient.Failure.self) { try connection.send("GET", "/health/live") }
    }
    server.expectHealthy()
  }

  @Test func aBodyInManyPiecesIsOneBody() throws {
    let server = try ServerProcess.ready()
    let feature = Array(TwinFeature(1, 1, 2).geoJSON.utf8)
    let connection = try server.client.connect()
    let head =
      "POST /collections/c/items HTTP/1.1\r\nHost: x\r\nContent-Type: application/geo+json\r\n"
    try connection.write(Array("\(head)Content-Length: \(feature.count)\r\n\r\n".utf8))
    for byte in feature { try connection.write([byte]) }
    #expect(try connection.receive().status == 201)
    try connection.write(Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8))
    for byte in feature { try connection.write(Array("1\r\n".utf8) + [byte, 13, 10]) }
    try connection.write(Array("0\r\n\r\n".utf8))
    #expect(try connection.receive().status == 200)
    #expect(try server.json("/collections/c")["featureCount"] == 1)
  }

  @Test func clientsThatVanishDoNoHarm() throws {
    let features = (1...2000).map { TwinFeature($0, Double($0 % 180), 1) }
    let server = try ServerProcess.holding(features, in: "c")
    for number in 0..<60 {
      let connection = try server.client.connect()
      let path = number % 2 == 0 ? "/collections/c/items?limit=2000" : "/openapi.yaml"
      try connection.write(TestConnection.request("GET", path))
      if number % 3 == 0 { connection.finishSending() }
    }
    server.expectHealthy()
  }
}
