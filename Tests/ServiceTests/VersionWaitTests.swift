import Glibc
import TestSupport
import Testing

/// Reads that wait for a version, over real connections.
@Suite(.timeLimit(.minutes(5))) struct VersionWaitTests {
  private static let request = Array(
    "GET /collections/c?minVersion=99999 HTTP/1.1\r\nHost: x\r\n\r\n".utf8)

  private func isWaiting(_ count: Int, at server: ServerProcess) -> Bool {
    let metrics = try? server.client.get("/metrics").text
    return metrics?.contains("\npincluster_waiting_reads \(count)\n") ?? false
  }

  @Test func `clients that leave free their places, and a stop ends all waits`() throws {
    let server = try ServerProcess.holding(
      [TwinFeature(1, 2, 3)], in: "c", arguments: ["--max-wait", "3600"])
    do {
      let crowd = try (0..<250).map { _ in try server.client.connect() }
      for connection in crowd { try connection.write(Self.request) }
      #expect(eventually { isWaiting(250, at: server) })
      #expect(try server.client.get("/collections/c?minVersion=99999").status == 429)
      #expect(try server.client.get("/collections/c").status == 200)
    }
    #expect(eventually { isWaiting(0, at: server) })
    let last = try server.client.connect()
    try last.write(Self.request)
    #expect(eventually { isWaiting(1, at: server) })
    server.process.signal(SIGTERM)
    let answer = try last.receive()
    #expect(answer.status == 503 && answer.header("Retry-After") == "1", "\(answer.text)")
    #expect(server.process.waitForExit() == .code(0))
    #expect(server.complaints.isEmpty)
  }

  @Test func `a slow wait is logged as one`() throws {
    let server = try ServerProcess.holding(
      [TwinFeature(1, 2, 3)], in: "c", arguments: ["--max-wait", "1", "--slow-request", "500"])
    #expect(try server.client.get("/collections/c/items?minVersion=99999").status == 503)
    let isLogged = eventually {
      server.log.contains { line in
        line["event"]?.string == "slow request" && (line["versionWaited"]?.double ?? 0) >= 1000
      }
    }
    #expect(isLogged)
  }
}
