import ClusterCore
import TestSupport
import Testing

@testable import FeatureStore

/// Databases of earlier versions of the program.
@Suite(.timeLimit(.minutes(5))) struct MigrationTests {
  /// What version 1 of the schema wrote: two collections, the counter at 7.
  private static let version1 = """
    PRAGMA page_size = 8192;
    PRAGMA application_id = 1349086787;
    CREATE TABLE store (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      id INTEGER NOT NULL,
      version INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE collections (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      title TEXT,
      description TEXT,
      version INTEGER NOT NULL,
      largest_integer INTEGER NOT NULL,
      feature_count INTEGER NOT NULL CHECK (feature_count >= 0)
    ) STRICT;
    CREATE TABLE features (
      collection INTEGER NOT NULL REFERENCES collections (key),
      id ANY NOT NULL,
      written_as_text INTEGER NOT NULL,
      position BLOB NOT NULL,
      properties TEXT NOT NULL,
      PRIMARY KEY (collection, id)
    ) STRICT, WITHOUT ROWID;
    PRAGMA user_version = 1;
    PRAGMA journal_mode = WAL;
    INSERT INTO store VALUES (1, 42, 7);
    INSERT INTO collections VALUES (3, 'c', 'Title', NULL, 7, 12, 2), (5, 'empty', NULL, NULL, 5, 0, 0);
    INSERT INTO features VALUES
      (3, 12, 1, x'000000000000F03F0000000000000040', '{"a":1}'),
      (3, 'x', 1, x'000000000000084000000000000010400000000000001440', '{}');
    """

  @Test func theFirstVersionIsBroughtUpToDate() throws {
    let directory = try TemporaryDirectory()
    try Database.execute(MigrationTests.version1, in: directory)
    try directory.write([], as: "pincluster.lock")
    let old = [Plain(.text("12"), [1, 2], #"{"a":1}"#), Plain(.text("x"), [3, 4, 5])]
    var new = Plain(.int(1), [5, 6])
    new.expires = FeatureRecord.expiryRange.upperBound
    for round in 0..<2 {
      let store = try SQLiteStore(directory: directory.path)
      #expect(store.storeID == 42)
      let infos = try store.collections()
      #expect(infos.map(\.id) == ["c", "empty"] && infos.map(\.ttl) == [nil, nil])
      #expect(infos.map(\.version) == (round == 0 ? [7, 5] : [8, 5]))
      #expect(infos[0].title == "Title" && infos[0].largestInteger == 12)
      #expect(try store.features(of: "c") == (round == 0 ? old : [new] + old))
      if round == 0 { #expect(try store.put([new]).info.version == 8) }
    }
    // Only rows that were written before may be without a checksum.
    try Database.execute("UPDATE features SET checksum = 1 WHERE id = 12", in: directory)
    expectDamaged(directory)
  }

  /// Databases of later versions: columns and tables that came after them are taken away. A value that a row hasn't is
  /// no part of its checksum.
  @Test(arguments: [
    (3, ["time_start", "time_end"], []),
    (2, ["time_start", "time_end"], ["snapshots", "changes"]),
  ])
  func laterVersionsAreBroughtUpToDate(version: Int, columns: [String], tables: [String]) throws {
    let directory = try TemporaryDirectory()
    var expiring = Plain(.text("x"), [3, 4, 5], #"{"a":1}"#)
    expiring.expires = FeatureRecord.expiryRange.upperBound
    let features = [Plain(.int(7), [1, 2]), expiring]
    do {
      let store = try SQLiteStore(directory: directory.path)
      _ = try store.putCollection("c", title: .set("t"), description: .keep)
      try store.put(features)
      store.close()
    }
    let steps =
      columns.map { "ALTER TABLE collections DROP COLUMN \($0);" }
      + tables.map { "DROP TABLE \($0);" } + ["PRAGMA user_version = \(version);"]
    try Database.execute(steps.joined(), in: directory)
    for _ in 0..<2 {
      let store = try SQLiteStore(directory: directory.path)
      #expect(try store.collections().map(\.title) == ["t"])
      #expect(try store.features(of: "c") == features)
      store.close()
    }
    #expect(try Database.integer("PRAGMA user_version", in: directory) == Schema.version)
  }

  /// Each row says what it said when it was written, or is damage.
  @Test(arguments: [
    "SET position = x'0000000000000000000000000000F03F'", "SET properties = '{\"a\":2}'",
    "SET id = 2", "SET written_as_text = 1", "SET expires = expires + 1", "SET expires = NULL",
    "SET expires = 253402300800000", "SET checksum = checksum + 1",
    "SET checksum = NULL", "SET collection = 2",
  ])
  func alteredRowsAreDamage(change: String) throws {
    let directory = try TemporaryDirectory()
    var feature = Plain(.int(1), [0, 0], #"{"a":1}"#)
    feature.expires = FeatureRecord.expiryRange.upperBound
    do {
      let store = try SQLiteStore(directory: directory.path)
      try store.put([feature])
      try store.put([], into: "d")
      #expect(try store.features(of: "c") == [feature])
    }
    try Database.execute("UPDATE features \(change)", in: directory)
    expectDamaged(directory)
  }

  /// Temporal properties stay, and altered ones are damage.
  @Test(arguments: ["time_start = 'b'", "time_end = NULL", "time_start = NULL", "time_end = 'a'"])
  func alteredTimesAreDamage(change: String) throws {
    let directory = try TemporaryDirectory()
    let times = TemporalProperties.span(start: "a", end: "z")
    do {
      let store = try SQLiteStore(directory: directory.path)
      _ = try store.putCollection(
        "c", title: .keep, description: .keep, temporal: .set(times))
      _ = try store.putCollection("c", title: .set("t"), description: .keep)
    }
    #expect(try SQLiteStore(directory: directory.path).collections().first?.temporal == times)
    try Database.execute("UPDATE collections SET \(change)", in: directory)
    expectDamaged(directory)
  }

  /// Bits flipped anywhere in the rows: damage, or as it was.
  @Test(arguments: Seeds.each(1...3))
  func flippedBitsOfRowsAreFound(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    do {
      let store = try SQLiteStore(directory: directory.path)
      try store.put(
        (1...60 as ClosedRange<Int64>).map { number in
          var feature = Plain(
            number % 3 == 0 ? .text("id \(number)") : .int(number), [Double(number), 1, 7],
            #"{"name":"feature \#(number)"}"#)
          if number % 2 == 0 { feature.expires = FeatureRecord.expiryRange.upperBound - number }
          return feature
        })
    }
    let expected = try SQLiteStore(directory: directory.path).features(of: "c")
    let bytes = try directory.bytes(of: SQLiteStore.fileName)
    let page = try rootPage(of: "features", in: directory)
    var random = SeededGenerator(seed: seed)
    var found = 0
    for _ in 0..<400 {
      var changed = bytes
      let place = Int.random(in: (page - 1) * 8192..<page * 8192, using: &random)
      let bit = UInt8(1) << UInt8.random(in: 0...7, using: &random)
      changed[place] ^= bit
      try Fixtures.write(changed, path: directory.database)
      do {
        let features = try SQLiteStore(directory: directory.path).features(of: "c")
        #expect(features == expected, "byte \(place), bit \(bit)")
      } catch {
        #expect(isDamage(error), "\(error)")
        found += 1
      }
    }
    #expect(found > 100)
  }

  private func rootPage(of table: String, in data: TemporaryDirectory) throws -> Int {
    try Database.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'", in: data)
  }
}
