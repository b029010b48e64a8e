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
    let world = "/collections/c/changes?bbox=-180,-85,180,85&countBy=kind&properties=none"
    let large = try (0..<20).map { number in
      let stream = try TestConnection(port: server.port)
      try stream.write(TestConnection.request("GET", "\(world)&zoom=\(3 + Double(number) / 1000)"))
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
    #expect(eventually { (try? events()) ?? 0 >= 21 })
    let before = try events()
    for round in 0..<5 {
      try server.store(
        [TwinFeature(50_000, 100.5, 60.5), TwinFeature(round, Double(round) - 60, -30)], in: "c")
      let version = try server.json("/collections/c")["version"]?.int ?? 0
      try small.read(toVersion: version)
    }
    // In turn, there would be one of each for every one of it.
    #expect(try events() - before < 60)
    #expect(small.faults == [])
    withExtendedLifetime(large) {}
    server.expectHealthy()
  }
}
