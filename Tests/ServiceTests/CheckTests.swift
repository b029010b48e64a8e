import Glibc
import TestSupport
import Testing

/// `pincluster check`: finds what is wrong, changes nothing, and finds nothing where nothing is.
@Suite(.timeLimit(.minutes(5))) struct CheckTests {
  private static func check(_ data: TemporaryDirectory) throws -> Tool {
    try Tool(["check", "--data", data.path])
  }

  /// Expects findings, one of which contains all the texts.
  private static func expectDamage(
    _ data: TemporaryDirectory, _ texts: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let run = try check(data)
    #expect(run.exit == .code(1), sourceLocation: sourceLocation)
    let isSaid = run.errorLines.contains { line in texts.allSatisfy { line.contains($0) } }
    #expect(isSaid, "\(run.error)", sourceLocation: sourceLocation)
  }

  /// The data directory of a stopped service with two collections.
  private static func stopped() throws -> TemporaryDirectory {
    let features = (1...500).map {
      TwinFeature($0, Double($0 % 180), 2, "{\"n\":\"number \($0)\"}")
    }
    let server = try ServerProcess.holding(features, in: "c")
    try server.store((1...10).map { TwinFeature($0, 1, 2) }, in: "d")
    let expiring =
      "{\"type\":\"Feature\",\"id\":1,\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]},"
      + "\"properties\":{},\"expires\":\"2999-01-01T00:00:00Z\"}"
    #expect(try server.client.send("POST", "/collections/d/items", json: expiring).status == 200)
    #expect(server.terminate() == 0)
    return server.data
  }

  @Test func allIsWell() throws {
    let data = try CheckTests.stopped()
    let before = try data.names.map { [UInt8]($0.utf8) + (try Fixtures.bytes(path: data.file($0))) }
    let run = try CheckTests.check(data).expectSuccess()
    #expect(run.output.contains("2 collections, 510 rows of features and 0 index files"))
    // Nothing was touched, and nothing is left.
    #expect(
      try data.names.map { [UInt8]($0.utf8) + (try Fixtures.bytes(path: data.file($0))) } == before)
    let server = try ServerProcess.ready(data: data)
    let used = try CheckTests.check(data).expectSuccess()
    #expect(used.output.contains("in use"))
    try server.store([TwinFeature(3000, 1, 2)], in: "c")
    try CheckTests.check(data).expectSuccess()
    server.kill()
    let killed = try CheckTests.check(data).expectSuccess()
    #expect(killed.output.contains("511 rows") && !killed.output.contains("in use"))
    #expect(try ServerProcess.ready(data: data).json("/collections/c")["featureCount"] == 501)
  }

  @Test func eachKindOfDamageIsNamed() throws {
    let intact = try CheckTests.stopped()
    for (sql, texts) in [
      ("UPDATE features SET properties = '{}' WHERE id = 400", ["c:", "feature 400", "checksum"]),
      ("UPDATE features SET properties = 'x' WHERE id = 400", ["c:", "properties"]),
      ("UPDATE features SET checksum = NULL WHERE id = 400", ["c:", "checksum"]),
      ("UPDATE features SET position = x'00' WHERE id = 400", ["c:", "position"]),
      ("DELETE FROM features WHERE id = 400", ["c:", "500 features has 499 rows"]),
      ("UPDATE collections SET feature_count = 1 WHERE id = 'c'", ["row", "checksum"]),
      ("UPDATE collections SET title = 'x' WHERE id = 'd'", ["row", "checksum"]),
      ("UPDATE store SET version = -1", ["counter"]), ("UPDATE store SET version = 0", ["counter"]),
      ("DELETE FROM store", ["counter"]),
      ("UPDATE features SET collection = 77 WHERE id = 400", ["doesn't exist"]),
      (
        "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'features_by_expiry'",
        ["structure"]
      ),
      (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema "
          + "SET sql = replace(sql, '(feature_count >= 0', '(featura_count >= 0') WHERE name = 'collections'",
        ["collections", "what was written"]
      ),
      (
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema "
          + "SET sql = replace(sql, 'feature_count >= 0', 'feature_count >= 1') WHERE name = 'collections'",
        ["collections", "what was written"]
      ),
      ("PRAGMA user_version = 99", ["version 99", "newer", "backup"]),
      ("PRAGMA application_id = 1", ["application"]),
    ] {
      let data = try intact.copied()
      try Database.execute("PRAGMA foreign_keys = OFF; " + sql, in: data)
      let run = try CheckTests.check(data)
      #expect(run.exit == .code(1), "\(sql)")
      for text in texts { #expect(run.error.contains(text), "\(sql): \(run.error)") }
    }
    // Both of two damaged collections are named.
    let data = try intact.copied()
    try Database.execute("UPDATE features SET properties = '{\"a\":1}' WHERE id = 5", in: data)
    let run = try CheckTests.check(data)
    #expect(
      run.error.contains("collection c:") && run.error.contains("collection d:"), "\(run.error)")
    let old = try intact.copied()
    try Database.execute("PRAGMA user_version = 3", in: old)
    #expect(try CheckTests.check(old).output.contains("structure"))
    try Tool(["export", "--collection", "c", "--data", old.path]).expectFailure(saying: "older")
    try Tool(["check", "--data", intact.file("none")]).expectFailure(saying: intact.file("none"))
  }

  /// A flipped bit is found, or changes no feature.
  @Test(arguments: Seeds.each(1...2)) func aFlippedBitIsFound(seed: UInt64) throws {
    let intact = try CheckTests.stopped()
    let bytes = try Fixtures.bytes(path: intact.file("pincluster.db"))
    let export = ["export", "--collection", "c", "--data"]
    let text = try Tool(export + [intact.path]).output
    // Zeros are mostly free space.
    let places = bytes.indices.filter { bytes[$0] != 0 }
    var generator = SeededGenerator(seed: seed)
    var found = 0
    let data = try TemporaryDirectory()
    for _ in 1...25 {
      var damaged = bytes
      let place = generator.pick(places)
      damaged[place] ^= 1 << UInt8(generator.int(0...7))
      try data.write(damaged, as: "pincluster.db")
      let run = try CheckTests.check(data)
      if run.exit == .code(1) {
        found += 1
      } else {
        #expect(run.exit == .code(0), "byte \(place): \(run.error)")
        #expect(try Tool(export + [data.path]).output == text, "byte \(place)")
      }
    }
    #expect(found > 8, "\(found)")
  }

  @Test func theLostEndOfTheLogIsFound() throws {
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    server.kill()
    for name in ["pincluster.db-wal", "pincluster.db-shm"] { unlink(server.data.file(name)) }
    try CheckTests.expectDamage(server.data, "pincluster.commit")
    // Nor is what is left taken for a good copy.
    let target = try TemporaryDirectory()
    let data = ["--data", server.data.path]
    for arguments in [["backup", "--to", target.path], ["export", "--collection", "c"]] {
      try Tool(arguments + data).expectFailure(saying: "pincluster.commit")
    }
    #expect(target.names.isEmpty)
  }

  @Test func indexFilesAgreeWithRows() throws {
    let data = try TemporaryDirectory()
    let table = try TemporaryDirectory()
    var text = "id,lon,lat,name\n"
    for id in 1...100_050 { text += "\(id),\(id % 360 - 180),\(id % 170 - 85),place \(id)\n" }
    try table.write(text, as: "c.csv")
    try Tool(["import", table.file("c.csv"), "--collection", "c", "--data", data.path])
      .expectSuccess()
    let server = try ServerProcess.ready(data: data)
    try server.store([TwinFeature(7, 1, 2), TwinFeature(200_000, 3, 4)], in: "c")
    #expect(try server.client.send("DELETE", "/collections/c/items/8").status == 204)
    #expect(try CheckTests.check(data).output.contains("1 index file, in use"))
    server.kill()
    let well = try CheckTests.check(data).expectSuccess()
    #expect(well.output.contains("100050 rows of features and 1 index file"))

    let file = try #require(data.names.first { $0.hasSuffix(".index") })
    let bytes = try Fixtures.bytes(path: data.file(file))
    var flipped = bytes
    flipped[bytes.count / 2] ^= 4
    try data.write(flipped, as: file)
    try CheckTests.expectDamage(data, file, "damaged")
    // A backup has none.
    unlink(data.file(file))
    let without = try CheckTests.check(data)
    #expect(without.exit == .code(0) && without.output.contains("0 index files"))
    #expect(without.errorLines.count == 1 && without.error.contains("note: "), "\(without.error)")
    try data.write(bytes, as: file)
    try CheckTests.check(data).expectSuccess()
    // The file is good, but a change since isn't known any more.
    try Database.execute("DELETE FROM changes WHERE id = 7", in: data)
    try CheckTests.expectDamage(data, file, "1 feature differs, first 7")
    try Database.execute("DELETE FROM changes", in: data)
    try CheckTests.expectDamage(data, file, "2 features differ, first 7")
  }
}
