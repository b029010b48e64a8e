import Glibc
import TestSupport
import Testing

/// Expensive watched viewports beside a small one.
@Suite(.timeLimit(.minutes(5))) struct WatcherTurnTests {
  @Test func aSmallViewportDoesNotWaitForLargeOnes() throws {
    // More than an event loop may look at one by one.
    let features = (0..<21_000).map { number in
      TwinFeature(
        number, Double(number % 210) / 2 - 60, Double(number / 210) / 2 - 30,
        "{\"kind\":\"\(number % 7)\"}")
    }
    let server = try ServerProcess.holding(features, in: "c")
    let world = "/collections/c/changes?bbox=-180,-85,180,85&countBy=kind&members=20"
    let large = try (0..<10).map { number in
      let stream = try TestConnection(port: server.port)
      try stream.write(TestConnection.request("GET", "\(world)&zoom=\(5 + Double(number) / 1000)"))
      return stream
    }
    let small = try EventStream(
      port: server.port, path: "/collections/c/changes?bbox=100,60,101,61&zoom=9")
    func events() throws -> Int {
      let text = try server.client.get("/metrics").text
      let line = text.split(separator: "\n").first {
        $0.hasPrefix("pincluster_change_events_total ")
      }
      return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }
    // Every one of them has its first event.
    #expect(eventually { (try? events()) ?? 0 >= 11 })
    var sent: [Int] = []
    for round in 0..<5 {
      let before = try events()
      let moving = TwinFeature(50_000, 100.5 + Double(round) / 100, 60.5)
      // So many that a large viewport is clustered as a whole.
      let others = (0..<5000).map { number in
        TwinFeature(
          number, Double(number % 210) / 2 - 60, Double(number / 210) / 2 - 30,
          "{\"kind\":\"\(number % 7 + round)\"}")
      }
      try server.store([moving] + others, in: "c")
      let version = try server.json("/collections/c")["version"]?.int ?? 0
      try small.read(toVersion: version)
      // Of what is sent until the small one has its event, one is its own.
      sent.append(try events() - before - 1)
    }
    // In turn, there would be one of each for every one of it. On a busy machine some may be sent before the
    // events are counted, but not each time.
    #expect(sent.contains { $0 < 5 }, "\(sent)")
    #expect(small.faults == [])
    withExtendedLifetime(large) {}
    server.expectHealthy()
  }
}
