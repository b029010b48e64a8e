import Glibc
import TestSupport
import Testing
import Threading

/// `pincluster backup`: a copy of one moment, complete or not there.
@Suite(.timeLimit(.minutes(5))) struct BackupTests {
  private static func value(_ server: ServerProcess, _ id: Int) throws -> Int? {
    try server.json("/collections/c/items/\(id)")["properties"]?["v"]?.int
  }

  @Test func aCopyUnderWritesIsOfOneMoment() throws {
    let server = try ServerProcess.holding(
      (1...5000).map {
        TwinFeature($0, 1, 2, "{\"v\":0,\"pad\":\"\(String(repeating: "x", count: 100))\"}")
      },
      in: "c")
    let isDone = Locked(false)
    let acknowledged = Locked(0)
    let faults = Locked<[String]>([])
    // Each write changes the first and the last feature to the same value.
    let writer = Threads.start {
      for value in 1... {
        let pair = [1, 5000].map { TwinFeature($0, 1, 2, "{\"v\":\(value)}") }
        do { try server.store(pair, in: "c") } catch { faults.withLock { $0.append("\(error)") } }
        acknowledged.withLock { $0 = value }
        if isDone.withLock({ $0 }) { return }
      }
    }
    let target = try TemporaryDirectory()
    for round in 1...3 {
      while acknowledged.withLock({ $0 }) < round * 5 { usleep(1000) }
      let before = acknowledged.withLock { $0 }
      let path = target.file("new/\(round)")
      let run = try Tool(["backup", "--data", server.data.path, "--to", path]).expectSuccess()
      #expect(run.output.contains("\(path)/pincluster.db"))
      let check = try Tool(["check", "--data", path]).expectSuccess()
      #expect(check.output.contains("5000 rows"))
      let copy = try TemporaryDirectory()
      try copy.write(try Fixtures.bytes(path: path + "/pincluster.db"), as: "pincluster.db")
      let restored = try ServerProcess.ready(data: copy)
      let values = try [1, 5000].map { try BackupTests.value(restored, $0) }
      #expect(values[0] == values[1])
      #expect(values[0] ?? 0 >= before)
      try restored.store([TwinFeature(5001, 1, 2)], in: "c")
      #expect(try restored.json("/collections/c")["featureCount"] == 5001)
      #expect(restored.terminate() == 0)
    }
    isDone.withLock { $0 = true }
    writer.join()
    #expect(faults.withLock { $0 } == [])
    server.expectHealthy()
  }

  @Test func theLogBelongsToIt() throws {
    let server = try ServerProcess.holding((1...100).map { TwinFeature($0, 1, 2) }, in: "c")
    server.kill()
    let before = server.data.names
    #expect(before.contains("pincluster.db-wal"))
    let target = try TemporaryDirectory()
    // What a copy has left that was interrupted.
    try target.write([1, 2, 3], as: "pincluster.db.new")
    try Tool(["backup", "--data", server.data.path, "--to", target.path]).expectSuccess()
    #expect(target.names == ["pincluster.db"])
    let restored = try ServerProcess.ready(data: target)
    #expect(try restored.json("/collections/c")["featureCount"] == 100)
    let again = try ServerProcess.ready(data: server.data)
    #expect(try again.json("/collections/c")["featureCount"] == 100)
  }

  @Test func aRestoredCopyIsAnother() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    #expect(server.terminate() == 0)
    let copy = try TemporaryDirectory()
    try Tool(["backup", "--data", server.data.path, "--to", copy.path]).expectSuccess()
    var (tags, versions): (Set<String>, Set<Int>) = ([], [])
    // The original, the copy, and that copy once more.
    for isCopy in [false, true, true] {
      let data = isCopy ? try TemporaryDirectory() : server.data
      if isCopy {
        try data.write(try Fixtures.bytes(path: copy.file("pincluster.db")), as: "pincluster.db")
      }
      for restart in 1...2 {
        let service = try ServerProcess.ready(data: data)
        try service.store([TwinFeature(1, 1, Double(restart) + (isCopy ? 10 : 20))], in: "c")
        let answer = try service.client.get("/collections/c/items")
        #expect(tags.insert(try #require(answer.header("ETag"))).inserted)
        let version = try #require(try service.json("/collections/c")["version"]?.int)
        #expect(versions.insert(version).inserted, "\(version)")
        #expect(service.terminate() == 0)
      }
      try Tool(["check", "--data", data.path]).expectSuccess()
    }
  }

  @Test func nothingIsOverwritten() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    let data = server.data.path
    let target = try TemporaryDirectory()
    try target.write([1], as: "other")
    try Tool(["backup", "--data", data, "--to", target.path])
      .expectFailure(saying: target.path, "not empty")
    #expect(target.names == ["other"])
    try Tool(["backup", "--data", data, "--to", data]).expectFailure(saying: "not empty")
    try Tool(["backup", "--data", data, "--to", target.file("other")])
      .expectFailure(saying: target.file("other"))
    try Tool(["backup", "--data", target.file("none"), "--to", target.file("new")])
      .expectFailure(saying: target.file("none"))
    #expect(target.names == ["other"])
    try Tool(["backup", "--data", data]).expectFailure(2, saying: "--to")
    server.expectHealthy()
  }
}
