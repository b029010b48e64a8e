import CSQLite
import ClusterCore
import FeatureStore
import TestSupport
import Testing

/// Rows that another program altered: the file is a sound database, what it says makes no sense.
@Suite(.timeLimit(.minutes(5))) struct AlteredRowsTests {
  @Test(arguments: [
    "UPDATE features SET position = x''",
    "UPDATE features SET position = x'0000000000000000'",
    "UPDATE features SET position = zeroblob(17)",
    "UPDATE features SET position = zeroblob(2064)",
    "UPDATE features SET position = x'000000000000F87F0000000000000000'",
    "UPDATE features SET position = x'0000000000000000000000000000F07F'",
    "UPDATE features SET position = x'00000000000000000000000000000000000000000000F07F'",
    "UPDATE features SET properties = ''",
    "UPDATE features SET properties = '{'",
    "UPDATE features SET properties = '[1]'",
    "UPDATE features SET properties = CAST(x'7BFF7D' AS TEXT)",
    "UPDATE features SET written_as_text = 2",
    "UPDATE features SET id = 1.5",
    "UPDATE features SET id = x'61'",
    "UPDATE features SET id = ''",
    "UPDATE features SET id = '17'",
    "UPDATE features SET id = char(7)",
    "UPDATE features SET id = CAST(x'FF' AS TEXT)",
    "UPDATE features SET id = 9007199254740992",
    "DELETE FROM features",
    "UPDATE collections SET feature_count = 2",
    "UPDATE collections SET largest_integer = 9223372036854775807",
    "UPDATE collections SET version = -1",
    "DELETE FROM store",
    "DROP TABLE features",
    "ALTER TABLE features RENAME COLUMN position TO place",
  ])
  func isDamage(sql: String) throws {
    let directory = try TemporaryDirectory()
    try SQLiteStore(directory: directory.path).put([Plain(.int(1), [0, 0, 0])])
    try Database.execute(sql, in: directory)
    expectDamaged(directory)
  }

  /// As a backup does, while the store writes.
  @Test func anotherProgramMayRead() throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    try store.put([Plain(.int(1), [0, 0]), Plain(.text("x"), [0, 0])])
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(directory.database, &handle) == SQLITE_OK)
    let check = "BEGIN; SELECT json_valid(properties), id FROM features; SELECT * FROM collections"
    try #require(sqlite3_exec(handle, check, nil, nil, nil) == SQLITE_OK)
    try store.put([Plain(.int(2), [0, 0])])
    try store.checkpoint()
    #expect(try store.features(of: "c").count == 3)
  }
}
