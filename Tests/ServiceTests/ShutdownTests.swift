import Glibc
import TestSupport
import Testing

/// SIGTERM and SIGINT: requests in flight are answered, and the exit code is 0.
@Suite(.timeLimit(.minutes(5))) struct ShutdownTests {
  /// The events of a log, in order.
  private func events(_ server: ServerProcess) -> [String] {
    server.log.compactMap { $0["event"]?.string }
  }

  @Test(arguments: [SIGTERM, SIGINT]) func anIdleServerStops(signal: Int32) throws {
    let server = try ServerProcess.ready()
    let idle = try server.client.connect()
    #expect(try idle.send("GET", "/health/live").status == 200)
    server.process.signal(signal)
    #expect(server.process.waitForExit() == .code(0))
    #expect(idle.readToEnd().isEmpty)
    #expect(events(server) == ["listening", "ready", "stopping", "stopped"])
    #expect(server.complaints.isEmpty)
  }

  /// A database that takes connections and never says anything.
  @Test(arguments: [SIGTERM, SIGINT]) func aStartThatWaitsStops(signal: Int32) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    try #require(listen(listener, 16) == 0)
    var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    let isNamed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) == 0 }
    }
    try #require(isNamed)
    let directory = try TemporaryDirectory()
    let process = try ServerProcess.begin(
      on: directory,
      arguments: ["--store", "postgresql://a@127.0.0.1:\(UInt16(bigEndian: address.sin_port))/d"])
    let connection = accept(listener, nil, nil)
    defer { close(connection) }
    process.signal(signal)
    #expect(process.waitForExit() == .code(0))
    #expect(process.standardError.contains("stopped"))
  }

  @Test func aRequestInFlightIsAnswered() throws {
    var server = try ServerProcess.ready()
    let features = (1...2000).map { TwinFeature($0, 1, 2) }
    let body = Array(features.featureCollection.utf8)
    let connection = try server.client.connect()
    try connection.write(
      TestConnection.request(
        "POST", "/collections/c/items",
        headers: [
          ("Content-Type", "application/geo+json"), ("Content-Length", "\(body.count)"),
          ("Expect", "100-continue"),
        ]))
    // Now the server has received the request.
    #expect(connection.response()?.status == 100)
    try connection.write(Array(body[..<1000]))
    server.process.signal(SIGTERM)
    #expect(eventually { events(server).contains("stopping") })
    #expect(server.process.exit() == nil)
    #expect(eventually { (try? server.client.connect()) == nil }, "new work is still taken")
    try connection.write(Array(body[1000...]))
    let answer = try connection.receive()
    #expect(answer.status == 200, "\(answer.text.prefix(300))")
    #expect(answer.value["inserted"]?.int == features.count)
    #expect(server.process.waitForExit() == .code(0))
    #expect(server.complaints.isEmpty)

    server = try ServerProcess.ready(data: server.data)
    let page = try server.json("/collections/c/items?limit=0")
    #expect(page["numberMatched"]?.int == features.count)
  }

  @Test func underLoadWhatIsTakenUpIsAnsweredAndWhatIsAnsweredIsKept() throws {
    var generator = SeededGenerator(seed: 11)
    var server = try ServerProcess.ready()
    let load = try LiveLoad(writers: 6, seed: 11, at: server)
    for round in 1...6 {
      let (process, writes) = (server.process, generator.int(0...60))
      load.run(at: server.port, readers: 4) {
        load.awaitWrites(writes)
        process.signal(round % 2 == 0 ? SIGTERM : SIGINT)
      }
      // Well within the drain timeout.
      #expect(process.waitForExit() == .code(0))
      #expect(events(server) == ["listening", "ready", "stopping", "stopped"])
      #expect(server.complaints.isEmpty)
      server = try ServerProcess.ready(data: server.data)
      // A write that was carried out without an answer would show here.
      #expect(try load.settle(with: server) == 0, "round \(round)")
      #expect(load.faults.value.prefix(3) == [], "round \(round)")
    }
    #expect(load.answers.value.writes > 6)
  }

  @Test func aClientThatNeverFinishesDoesNotHoldIt() throws {
    let server = try ServerProcess.ready(arguments: ["--drain-timeout", "1"])
    let connection = try server.client.connect()
    try connection.write(
      Array("POST /collections/c/items HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{".utf8))
    #expect(try server.client.get("/health/live").status == 200)
    #expect(server.terminate() == 0)
    _ = connection
  }
}
