import Glibc
import TestSupport
import Testing

/// Index files: a start that reads one gives the same answers as one that reads the rows, whatever happened
/// in between.
@Suite(.timeLimit(.minutes(5))) struct IndexFileTests {
  private static let count = 100_050

  private static func files(in data: TemporaryDirectory) -> [String] {
    data.names.filter { $0.hasPrefix("pincluster-") && $0.contains(".index") }.map(data.file)
  }

  /// A data directory with a large collection `c` that was just imported.
  private static func imported() throws -> TemporaryDirectory {
    let (data, files) = (try TemporaryDirectory(), try TemporaryDirectory())
    var table = "id,lon,lat,name\n"
    for id in 1...count {
      let (x, y) = (id &* 7919 % 36_000, id &* 104_729 % 17_000)
      table += "\(id),\(Double(x) / 100 - 180),\(Double(y) / 100 - 85),place \(id)\n"
    }
    try files.write(table, as: "c.csv")
    try Tool(["import", files.file("c.csv"), "--collection", "c", "--data", data.path])
      .expectSuccess()
    return data
  }

  private static func answers(_ server: ServerProcess) throws -> [String] {
    var answers: [String] = []
    for path in [
      "/collections/c/clusters?bbox=-180,-85,180,85&zoom=2", "/collections/c/items?limit=300",
      "/collections/c/items?limit=50&offset=60000", "/collections/c/items/77",
      "/collections/c/items/100060", "/collections/c/clusters?bbox=3,40,12,52&zoom=7&members=3",
    ] {
      let answer = try server.client.get(path)
      answers.append("\(answer.status) \(answer.text)")
    }
    return answers
  }

  /// The number of changes that a start has read beside the index file; nil if it read none.
  private static func changes(_ server: ServerProcess) -> Int? {
    // A thread of its own writes the log, in order.
    #expect(eventually { server.log.contains { $0["event"] == "ready" } })
    return server.log.first { $0["event"] == "index read" }.flatMap { $0["changes"]?.int }
  }

  @Test func aStartReadsTheFileOrTheRows() throws {
    let data = try IndexFileTests.imported()
    #expect(IndexFileTests.files(in: data).count == 1)
    var server = try ServerProcess.ready(data: data)
    #expect(IndexFileTests.changes(server) == 0)
    try server.store(
      (100_000..<100_100).map { TwinFeature($0, 10, Double($0 % 80), "{\"name\":\"new\"}") },
      in: "c")
    #expect(try server.client.send("DELETE", "/collections/c/items/77").status == 204)
    #expect(try server.client.send("DELETE", "/collections/c/items/78").status == 204)
    let before = try IndexFileTests.answers(server)
    server.kill()

    server = try ServerProcess.ready(data: data)
    #expect(IndexFileTests.changes(server) == 102)
    #expect(try IndexFileTests.answers(server) == before)
    #expect(server.terminate() == 0)

    // The rows give the same answers.
    for (path, damage) in zip(IndexFileTests.files(in: data), 1...) {
      #expect(damage == 1)
      var bytes = try Fixtures.bytes(path: path)
      bytes[bytes.count / 2] ^= 4
      try Fixtures.write(bytes, path: path)
    }
    server = try ServerProcess.ready(data: data)
    #expect(IndexFileTests.changes(server) == nil)
    #expect(server.log.contains { $0["event"] == "index file" && $0["level"] == "error" })
    #expect(try IndexFileTests.answers(server) == before)
    // An index file that cannot be read is written again, at the latest at the end.
    #expect(server.terminate() == 0)
    #expect(IndexFileTests.files(in: data).count == 1)

    server = try ServerProcess.ready(data: data)
    #expect(IndexFileTests.changes(server) == 0)
    #expect(try IndexFileTests.answers(server) == before)
    #expect(try server.client.send("DELETE", "/collections/c").status == 204)
    server.kill()
    server = try ServerProcess.ready(data: data)
    #expect(IndexFileTests.files(in: data) == [])
    #expect(try server.client.get("/collections/c").status == 404)
    server.expectHealthy()
  }

  @Test func withoutRoomThereIsNoFile() throws {
    let data = try IndexFileTests.imported()
    for path in IndexFileTests.files(in: data) { unlink(path) }
    // The database can be opened and the log written, but no file can grow to the size of an index.
    let limit = try ServerProcess(
      data: data, launcher: ["/usr/bin/prlimit", "--fsize=1000000:unlimited"])
    try #require(eventually { (try? limit.client.get("/health/ready"))?.status == 200 })
    #expect(try limit.client.get("/collections/c/items/5").status == 200)
    #expect(
      eventually {
        // One line says that there was none, another that none can be written.
        limit.log.filter { $0["event"] == "index file" && $0["level"] == "error" }.count == 2
          && IndexFileTests.files(in: data) == []
      })
    #expect(try limit.client.get("/collections/c/items/6").status == 200)
    #expect(limit.terminate() == 0)
    let server = try ServerProcess.ready(data: data)
    #expect(IndexFileTests.changes(server) == nil)
  }
}
