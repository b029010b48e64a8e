import ClusterCore
import Glibc
import TestSupport
import Testing
import Threading

/// Watching a running server over real connections.
@Suite(.timeLimit(.minutes(5))) struct ChangesTests {
  private static let views = [
    "bbox=-180,-85,180,85&zoom=2&cellSize=64",
    "bbox=5,45,20,56&viewportWidth=800&properties=name&titleProperty=name",
    "bbox=170,-60,-170,60&zoom=4&groupBy=kind&groups=%7B%22a%22:%7B%22cellSize%22:100%7D%7D",
    "bbox=-180,-85,180,85&zoom=3&filter=population%20%3E%20500&countBy=kind",
    "bbox=13,52,14,53&zoom=16&marginFactor=0&decluster=true&maxZoomLevelForClustering=3",
  ]

  /// What a client that reads events finds wrong in the end.
  private static func faults(
    of stream: EventStream, view: String, server: TestClient
  ) throws -> [String] {
    let fresh = try server.get("/collections/c/clusters?\(view)").value
    let wanted = (fresh["annotations"]?.array ?? []).map(\.text).sorted()
    var faults = stream.faults
    if stream.screen.annotations != wanted { faults.append("\(view): other annotations") }
    if stream.screen.featureCount != fresh["featureCount"]?.int {
      faults.append("\(view): \(stream.screen.featureCount ?? -1) features")
    }
    return faults
  }

  @Test func fiftyWatchersShowWhatIsThere() throws {
    let features = TwinDataset.mixed.features(seed: 501, count: 400)
    let server = try ServerProcess.holding(features, in: "c", arguments: ["--threads", "2"])
    // The number of finished writers; then marks that every viewport will change and that all is done.
    let done = Locked(0)
    let writes = Locked(0)
    let faults = Locked<[String]>([])
    let (client, port) = (server.client, server.port)
    Threads.run(54) { number in
      do {
        if number < 4 {
          try ChangesTests.write(features, number: number, client) { writes.withLock { $0 += 1 } }
          guard
            done.withLock({
              $0 += 1; return $0 == 4
            })
          else { return }
          done.withLock { $0 = 5 }
          try ChangesTests.changeEveryView(client)
          done.withLock { $0 = 6 }
          return
        }
        let view = ChangesTests.views[number % ChangesTests.views.count]
        let path = "/collections/c/changes?\(view)"
        var stream = try EventStream(port: port, path: path)
        var generator = SeededGenerator(seed: UInt64(number))
        while done.value < 5, try stream.read() {
          if generator.chance(0.2) {
            // Falls behind.
            let goal = writes.value + 20
            _ = eventually { done.value >= 4 || writes.value >= goal }
          }
          if number % 3 == 0, generator.chance(0.2) {
            stream = try EventStream(port: port, path: path, resuming: stream.screen)
          }
        }
        #expect(eventually { done.value >= 6 })
        // Reconnects, so that its first event shows everything.
        try ChangesTests.catchUp(&stream, path, client)
        let wrong = try ChangesTests.faults(of: stream, view: view, server: client)
        faults.withLock { $0 += wrong }
      } catch {
        faults.withLock { $0.append("\(number): \(error)") }
        done.withLock { $0 = 6 }
      }
    }
    #expect(faults.value.prefix(5) == [])
    let metrics = try client.get("/metrics").text
    #expect(metrics.contains("pincluster_dropped_watchers_total 0\n"))
    #expect(eventually { (try? client.get("/metrics").text.contains("_watchers 0\n")) == true })
    server.expectHealthy()
  }

  /// Moves, changes and deletes features, one at a time. Calls `willWrite` before each.
  private static func write(
    _ features: [TwinFeature], number: Int, _ client: TestClient, willWrite: () -> Void
  ) throws {
    var generator = SeededGenerator(seed: UInt64(900 + number))
    let connection = try client.connect()
    // Each writer has features of its own.
    let own = stride(from: number, to: features.count, by: 4).map { features[$0] }
    for _ in 0..<120 {
      willWrite()
      var feature = generator.pick(own)
      let path = "/collections/c/items/\(TwinRequest.percentEncoded(feature.id.description))"
      if generator.chance(0.2) {
        _ = try connection.send("DELETE", path)
        continue
      }
      feature.coordinate = generator.pick(features).coordinate
      let answer = try connection.send("PUT", path, json: feature.geoJSON)
      guard answer.status / 100 == 2 else { throw TestClient.Failure.malformed(answer.text) }
    }
  }

  /// A write that every watcher is told of.
  private static func changeEveryView(_ client: TestClient) throws {
    let places = [TwinFeature(7_000_000, 13.4, 52.5), TwinFeature(7_000_001, 180, 0)].map { one in
      var feature = one
      feature.properties = "{\"name\":\"last\",\"population\":1000,\"kind\":\"a\"}"
      return feature
    }
    let answer = try client.send("POST", "/collections/c/items", json: places.featureCollection)
    guard answer.status == 200 else { throw TestClient.Failure.malformed(answer.text) }
  }

  /// Reads until it shows the collection's version.
  private static func catchUp(
    _ stream: inout EventStream, _ path: String, _ client: TestClient
  ) throws {
    let version = try client.get("/collections/c").value["version"]?.int ?? 0
    stream = try EventStream(port: client.port, path: path, resuming: stream.screen)
    try stream.read(toVersion: version)
  }

  @Test func aDroppedCollectionIsGone() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 2, 3)], in: "c")
    let path = "/collections/c/changes?\(ChangesTests.views[0])"
    let stream = try EventStream(port: server.port, path: path)
    #expect(stream.head.status == 200 && stream.head.mediaType == "text/event-stream")
    while stream.screen.names.isEmpty { try #require(try stream.read()) }
    #expect(try server.client.send("DELETE", "/collections/c").status == 204)
    while try stream.read() {}
    #expect(stream.screen.names == ["view", "gone"])
    #expect(stream.faults == [])
    let again = try EventStream(port: server.port, path: path, resuming: stream.screen)
    #expect(again.head.fault(status: 404) == nil)
    server.expectHealthy()
  }

  @Test func aSlowClientIsDroppedAndOthersAreNot() throws {
    let text = String(repeating: "x", count: 2000)
    func features(_ shift: Double) -> [TwinFeature] {
      (0..<600).map { number in
        TwinFeature(
          number, Double(number % 60) * 3 - 90 + shift, Double(number / 60) * 6 - 30,
          "{\"text\":\"\(text)\"}")
      }
    }
    let server = try ServerProcess.holding(features(0), in: "c")
    let view = "bbox=-180,-85,180,85&zoom=8&cellSize=512&marginFactor=0"
    let path = "/collections/c/changes?\(view)"
    let slow = try EventStream(port: server.port, path: path)
    // Gets fewer bytes, at the same times.
    let quick = try EventStream(port: server.port, path: path + "&properties=none")
    var round = 0
    while try !server.client.get("/metrics").text.contains("dropped_watchers_total 1\n") {
      round += 1
      try #require(round < 1000)
      try server.store(features(Double(round % 2) / 10), in: "c")
      let version = try server.json("/collections/c")["version"]?.int ?? 0
      try quick.read(toVersion: version)
    }
    let small = view + "&properties=none"
    #expect(try ChangesTests.faults(of: quick, view: small, server: server.client) == [])
    // It was sent whole events before, or the connection ends within one.
    while (try? slow.read()) == true {}
    #expect(slow.faults == [])
    let again = try EventStream(port: server.port, path: path, resuming: slow.screen)
    try again.read(toVersion: try server.json("/collections/c")["version"]?.int ?? 0)
    #expect(try ChangesTests.faults(of: again, view: view, server: server.client) == [])
    server.expectHealthy()
  }

  @Test func stoppingEndsStreamsAtOnce() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 2, 3)], in: "c")
    let streams = try (0..<20).map { number in
      try EventStream(
        port: server.port, path: "/collections/c/changes?\(ChangesTests.views[number % 5])")
    }
    for stream in streams { while stream.screen.names.isEmpty { try #require(try stream.read()) } }
    // Well before the idle timeout.
    #expect(server.terminate(timeout: 15) == 0)
    for stream in streams {
      #expect(try !stream.read())
      #expect(stream.faults == [])
    }
    #expect(server.complaints == [])
  }
}
