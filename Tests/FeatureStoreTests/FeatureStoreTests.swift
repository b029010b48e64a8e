import ClusterCore
import FeatureStore
import TestSupport
import Testing
import Threading

@Suite(.timeLimit(.minutes(5))) struct FeatureStoreTests {
  private let directory: TemporaryDirectory
  private let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
  }

  private let largest = FeatureID.integerRange.upperBound

  @Test func idsAreAssignedAboveEverythingEverHeld() throws {
    let nameless = Plain(nil, [1, 2])
    var batch = FeatureBatch([nameless, Plain(.int(-5), [0, 0]), nameless])
    #expect(try store.upsert(&batch, into: "c").info.largestInteger == 2)
    #expect(batch.plain.map(\.id) == [.int(1), .int(-5), .int(2)])

    try store.put([Plain(.text("10"), [0, 0])])
    #expect(try store.delete(.int(10), from: "c")?.largestInteger == 10)
    batch = FeatureBatch([nameless, Plain(.int(12), [0, 0])])
    try #expect(store.upsert(&batch, into: "c").info.largestInteger == 13)
    #expect(batch.plain.map(\.id) == [.int(13), .int(12)])

    _ = try store.dropCollection("c")
    batch = FeatureBatch([nameless])
    try #expect(store.upsert(&batch, into: "c").info.largestInteger == 1)
  }

  @Test func idsRunOutWithoutATrace() throws {
    try store.put([Plain(.int(largest - 1), [0, 0])])
    let before = try store.collections()
    var batch = FeatureBatch([Plain(nil, [1, 1]), Plain(nil, [2, 2])])
    #expect(throws: StoreError.idsExhausted(collection: "c")) {
      try store.upsert(&batch, into: "c")
    }
    #expect(batch.plain.allSatisfy { $0.id == nil })
    #expect(throws: StoreError.idsExhausted(collection: "new")) {
      try store.put([Plain(.int(largest), [0, 0]), Plain(nil, [0, 0])], into: "new")
    }
    try store.beginImport(into: "c")
    _ = try store.importBatch(&batch)
    #expect(throws: StoreError.idsExhausted(collection: "c")) { try store.commitImport() }
    #expect(try store.collections() == before)

    batch = FeatureBatch([Plain(nil, [1, 1])])
    _ = try store.upsert(&batch, into: "c")
    #expect(batch.plain[0].id == .int(largest))
  }

  @Test func ofEqualIDsTheLastWins() throws {
    let result = try store.put([
      Plain(.int(1), [1, 1], #"{"a":1}"#), Plain(.text("x"), [0, 0]),
      Plain(.text("1"), [2, 2], #"{"a":2}"#), Plain(.text("1"), [3, 3], #"{"a":3}"#),
    ])
    #expect(result.inserted == 2 && result.updated == 2 && result.info.featureCount == 2)
    let features = try store.features(of: "c")
    #expect(features == [Plain(.text("1"), [3, 3], #"{"a":3}"#), Plain(.text("x"), [0, 0])])
    try store.put([Plain(.int(1), [3, 3])])
    #expect(try store.features(of: "c").first?.isWrittenAsText == false)
  }

  @Test func droppedCollectionsAreClearedInParts() throws {
    let directory = try TemporaryDirectory()
    var store = try SQLiteStore(directory: directory.path)
    #expect(try !store.clearDropped(atMost: 10))
    func rows() throws -> [Int] {
      try ["features", "collections"].map { table in
        try Database.integer("SELECT count(*) FROM \(table)", in: directory)
      }
    }
    try store.put((1...100).map { Plain(.int($0), [0, 0]) })
    try store.put((1...30).map { Plain(.text("t\($0)"), [0, 0]) }, into: "d")
    _ = try store.dropCollection("c")
    #expect(throws: Stop.self) {
      try store.transaction {
        try store.savepoint {
          _ = try store.dropCollection("d")
          throw Stop()
        }
      }
    }
    #expect(try store.collections().map(\.id) == ["d"])
    // The id is free at once.
    try store.put([Plain(.int(7), [1, 1])])
    #expect(try rows() == [131, 3])
    _ = try store.dropCollection("c")
    // Two were dropped, and a restart knows them.
    #expect(try store.clearDropped(atMost: 60) && rows() == [71, 3])
    store.close()
    store = try SQLiteStore(directory: directory.path)
    try store.put([Plain(.int(8), [1, 1])])
    #expect(try store.features(of: "c") == [Plain(.int(8), [1, 1])])
    var calls = 0
    while try store.clearDropped(atMost: 40) { calls += 1 }
    #expect(calls == 3)
    #expect(try rows() == [31, 2] && store.collections().map(\.featureCount) == [1, 30])
    #expect(
      try Database.integer("SELECT count(*) FROM pragma_foreign_key_check", in: directory) == 0)
    #expect(try store.features(of: "d").count == 30)
  }

  private struct Stop: Error {}

  @Test func versionsGrowOverDropsAndRestarts() throws {
    let directory = try TemporaryDirectory()
    var store = try SQLiteStore(directory: directory.path)
    let first = try store.put([Plain(.int(1), [0, 0])]).info
    let dropped = try #require(try store.dropCollection("c"))
    store.close()
    store = try SQLiteStore(directory: directory.path)
    let second = try store.put([Plain(.int(1), [0, 0])]).info
    #expect(first.version < dropped && dropped < second.version)
    #expect(first.key != second.key)
    #expect(try store.dropCollection("absent") == nil)
    #expect(try store.delete(.int(2), from: "c") == nil)
    #expect(try store.delete(.int(2), from: "absent") == nil)
    #expect(try store.collections().map(\.version) == [second.version])
  }

  @Test func importsExcludeOtherWritesAndRollBack() throws {
    try store.put([Plain(.int(1), [0, 0])])
    let before = try store.collections()
    var batch = FeatureBatch([Plain(.int(2), [0, 0]), Plain(nil, [0, 0])])
    #expect(throws: StoreError.self) { try store.importBatch(&batch) }
    #expect(throws: StoreError.self) { try store.commitImport() }

    try store.beginImport(into: "d")
    _ = try store.importBatch(&batch)
    #expect(throws: StoreError.self) { try store.put([Plain(.int(1), [0, 0])]) }
    #expect(throws: StoreError.self) { try store.beginImport(into: "c") }
    store.rollbackImport()
    store.rollbackImport()
    #expect(try store.collections() == before)

    try store.beginImport(into: "d")
    _ = try store.importBatch(&batch)
    store.close()
    #expect(throws: StoreError.self) { try store.collections() }
    let again = try SQLiteStore(directory: directory.path)
    #expect(try again.collections() == before)
  }

  /// A later batch may give the integer that an earlier feature without id would have got.
  @Test func importsAssignIDsWhenAllAreKnown() throws {
    try store.beginImport(into: "c")
    var batch = FeatureBatch([Plain(nil, [1, 1]), Plain(nil, [2, 2])])
    #expect(try store.importBatch(&batch) == (2, 0))
    batch = FeatureBatch([Plain(.int(1), [3, 3]), Plain(.int(7), [4, 4])])
    #expect(try store.importBatch(&batch) == (2, 0))
    let info = try store.commitImport()
    #expect(info.featureCount == 4 && info.largestInteger == 9)
    #expect(try store.features(of: "c").map(\.id) == [.int(1), .int(7), .int(8), .int(9)])
  }

  @Test func readingRethrowsAndCanBeRepeated() throws {
    struct Stop: Error {}
    let info = try store.put((1...50).map { Plain(.int($0), [0, 0]) }).info
    #expect(throws: Stop.self) {
      try store.forEachBatch(of: info, batchSize: 10) { _ in throw Stop() }
    }
    let sizes = Locked<[Int]>([])
    try store.forEachBatch(of: info, batchSize: 20) { batch in
      sizes.withLock { $0.append(batch.count) }
    }
    #expect(sizes.withLock { $0 } == [20, 20, 10])
    try store.checkpoint()
    #expect(try store.dropCollection("c") != nil)
  }
}
