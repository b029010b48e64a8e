import Glibc
import TestSupport
import Testing

/// SIGTERM and SIGINT: what is in flight is finished, the exit code is 0.
@Suite struct ShutdownTests {
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
    #expect(throws: TestClient.Failure.self) { try server.client.connect() }
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
    // So the server has taken the request up.
    #expect(try connection.receiveInterim() == 100)
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

  @Test func underLoadEveryAnswerIsWholeAndNothingAnsweredIsLost() throws {
    var server = try ServerProcess.ready()
    let stored = Locked<Set<Int>>([])
    let faults = Locked<[String]>([])
    let (port, process) = (server.port, server.process)
    Threads.run(7) { number in
      if number == 6 {
        _ = eventually { stored.value.count >= 60 }
        process.signal(SIGTERM)
        return
      }
      guard let connection = try? TestClient(port: port).connect() else { return }
      for step in 0..<100_000 {
        let id = step * 6 + number
        do {
          let answer = try connection.send(
            "PUT", "/collections/c/items/\(id)", headers: [("Content-Type", "application/json")],
            body: Array(TwinFeature(id, 1, 2).geoJSON.utf8))
          guard answer.status == 201 else {
            faults.withLock { $0.append("\(id): \(answer.status)") }
            return
          }
          stored.withLock { _ = $0.insert(id) }
        } catch TestClient.Failure.noAnswer(let bytes) {
          // Closed between two requests; half an answer would be a fault.
          if !bytes.isEmpty { faults.withLock { $0.append("half an answer to \(id)") } }
          return
        } catch { return }
      }
    }
    #expect(server.process.waitForExit() == .code(0))
    #expect(faults.value == [])
    #expect(server.complaints.isEmpty)

    server = try ServerProcess.ready(data: server.data)
    let found = try server.json("/collections/c/items?limit=10000")
    let ids = Set((found["features"]?.array ?? []).compactMap { $0["id"]?.int })
    #expect(stored.value.subtracting(ids) == [])
    #expect(ids.subtracting(stored.value).count <= 6)
  }

  @Test func aClientThatNeverFinishesDoesNotHoldIt() throws {
    let server = try ServerProcess.ready(arguments: ["--drain-timeout", "1"])
    let connection = try server.client.connect()
    try connection.write(
      Array("POST /collections/c/items HTTP/1.1\r\nContent-Length: 9\r\n\r\n{".utf8))
    #expect(try server.client.get("/health/live").status == 200)
    #expect(server.terminate() == 0)
    _ = connection
  }
}
