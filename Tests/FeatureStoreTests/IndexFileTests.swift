import ClusterCore
import Glibc
import TestSupport
import Testing

@testable import FeatureStore

/// The file in which an index is kept for the next start: whatever becomes of it or of the database,
/// a start has what the rows say.
@Suite(.timeLimit(.minutes(5))) struct IndexFileTests {
  private let directory: TemporaryDirectory
  private let store: SQLiteStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try SQLiteStore(directory: directory.path)
  }

  private func features(_ ids: some Sequence<Int64>, _ text: String = "a") -> [Plain] {
    ids.map { id in
      var feature = Plain(
        id % 5 == 0 ? .text("t\(id)") : .int(id),
        [Double(id % 360) - 180, Double(id * 7 % 180) - 90] + (id % 3 == 0 ? [Double(id)] : []),
        #"{"name":"\#(text) \#(id)"}"#)
      if id % 11 == 0 { feature.expires = 253_402_300_000_000 + id }
      return feature
    }
  }

  private func info(_ store: SQLiteStore, _ id: String = "c") throws -> CollectionInfo {
    try #require(try store.collections().first { $0.id == id })
  }

  /// Writes the file of a collection.
  private func keep(_ store: SQLiteStore, _ id: String = "c") throws {
    let info = try info(store, id)
    let index = try store.loadIndex(of: info).index
    let draft = try store.beginIndexFile(of: info)
    try draft.write(index) { true }
    try store.finishIndexFile(draft)
  }

  private func plain(_ index: FeatureIndex) -> [Plain] {
    var all: [Plain] = []
    index.points.forEachRun { run in for place in run { all.append(Plain(index.record(at: place))) }
    }
    return all.sorted { a, b in (a.id ?? .int(0)) < (b.id ?? .int(0)) }
  }

  private func indexFile(_ directory: TemporaryDirectory) -> String? {
    directory.names.first { $0.hasSuffix(".index") }.map { directory.path + "/" + $0 }
  }

  /// What a start makes of a directory as it is now, as after a kill.
  private func afterKill(
    _ directory: TemporaryDirectory
  ) throws -> (loaded: LoadedIndex, rows: [Plain]) {
    let copy = try directory.copied(without: "pincluster.lock")
    // A directory that was held before, and not by another process now.
    try copy.write([], as: "pincluster.lock")
    let store = try SQLiteStore(directory: copy.path)
    let loaded = try store.loadIndex(of: info(store))
    return (loaded, try store.features(of: "c"))
  }

  @Test func aStartReadsTheFileAndWhatHasChanged() throws {
    try store.put(features(1...5000))
    try keep(store)
    var (loaded, rows) = try afterKill(directory)
    #expect(loaded.changes == 0 && plain(loaded.index) == rows)
    try store.put(features(4990...5010, "b"))
    _ = try store.delete([.int(1), .int(2), .text("t5")], from: "c")
    try store.put(features(2...2, "c"))
    (loaded, rows) = try afterKill(directory)
    // 21 stored and 3 deleted, one of which came back.
    #expect(loaded.changes == 24 && rows.count == 5008 && plain(loaded.index) == rows)
    store.close()
    (loaded, rows) = try afterKill(directory)
    #expect(loaded.changes == 24 && plain(loaded.index) == rows)
  }

  @Test func tooManyChangesLeaveTheFileBehind() throws {
    try store.put(features(1...3000))
    try keep(store)
    #expect(indexFile(directory) != nil)
    for start: Int64 in [1, 400, 800] { try store.put(features(start...(start + 399), "b")) }
    #expect(try store.indexFileState(of: info(store)) == .missing)
    #expect(indexFile(directory) == nil)
    let (loaded, rows) = try afterKill(directory)
    #expect(loaded.changes == nil && loaded.fault == nil && plain(loaded.index) == rows)
    while try store.trimChanges(atMost: 100) {}
    try keep(store)
    #expect(try store.indexFileState(of: info(store)) == .present)
    #expect(try afterKill(directory).loaded.changes == 0)
  }

  @Test func `a section that can't be read is damaged, and touching it ends nothing`() throws {
    try store.put(features(1...40_000))
    let draft = try store.beginIndexFile(of: info(store))
    try draft.write(try store.loadIndex(of: info(store)).index) { true }
    try store.finishIndexFile(draft)
    let path = try #require(indexFile(directory))
    let file = try #require(IndexFile(path, of: draft.identity))
    let numbers = file.sections.indices
    #expect(numbers.count > 3 && numbers.allSatisfy { file.isIntact($0) })
    // As if the disk had lost the end of the file while it is mapped.
    #expect(truncate(path, file.address(of: 2) - file.address(of: 0) + 9000) == 0)
    #expect(numbers.map { file.isIntact($0) } == numbers.map { $0 < 2 })
  }

  @Test func whatIsWrittenBesideTheFileIsNotLost() throws {
    try store.put(features(1...2000))
    for isKilled in [true, false] {
      let before = try info(store)
      let index = try store.loadIndex(of: before).index
      let draft = try store.beginIndexFile(of: before)
      try store.put(features(1990...2010, isKilled ? "k" : "l"))
      try draft.write(index) { true }
      // Before the database has heard of it, the file is none.
      let (early, rows) = try afterKill(directory)
      #expect(early.changes == nil && plain(early.index) == rows)
      if isKilled {
        store.abandonIndexFile(draft)
        #expect(indexFile(directory) == nil)
        continue
      }
      try store.finishIndexFile(draft)
      let (late, same) = try afterKill(directory)
      #expect(late.changes == 21 && plain(late.index) == same)
    }
  }

  @Test func whatIsUndoneIsNotCounted() throws {
    struct Undone: Error {}
    try store.put(features(1...2000))
    try keep(store)
    // A part that alone has too many changes, undone; then the whole transaction.
    try store.transaction {
      try? store.savepoint {
        for _ in 0..<2 { try store.put(features(1...700, "u")) }
        throw Undone()
      }
      try store.savepoint { _ = try store.put(features(5...9, "v")) }
    }
    var (loaded, rows) = try afterKill(directory)
    #expect(plain(loaded.index) == rows)
    try keep(store)
    #expect(throws: Undone.self) {
      try store.transaction {
        for _ in 0..<2 { try store.put(features(1...700, "w")) }
        throw Undone()
      }
    }
    try store.put(features(6...8, "x"))
    (loaded, rows) = try afterKill(directory)
    #expect(plain(loaded.index) == rows && rows.contains { $0.properties.contains(0x78) })
  }

  @Test func droppedCollectionsTakeTheirFilesAlong() throws {
    try store.put(features(1...1500))
    try keep(store)
    try directory.write([1, 2, 3], as: "pincluster-99-abc.index")
    try directory.write([1], as: "pincluster-99-abc.index.new")
    let draft = try store.beginIndexFile(of: info(store))
    _ = try store.dropCollection("c")
    #expect(!directory.names.contains { $0.hasSuffix(".index") && !$0.contains("-99-") })
    try draft.write(FeatureIndex()) { true }
    try store.put(features(1...9, "again"))
    try store.finishIndexFile(draft)
    store.close()
    let again = try SQLiteStore(directory: directory.path)
    #expect(!directory.names.contains { $0.contains(".index") })
    let loaded = try again.loadIndex(of: info(again))
    #expect(loaded.changes == nil && loaded.fault == nil && loaded.index.count == 9)
  }

  @Test func importsAreChangesToo() throws {
    try store.put(features(1...3000))
    try keep(store)
    for isUndone in [true, false] {
      try store.beginImport(into: "c")
      var batch = FeatureBatch(features(2990...3100, "i") + [Plain(nil, [1, 2])])
      _ = try store.importBatch(&batch)
      if isUndone { store.rollbackImport() } else { _ = try store.commitImport() }
    }
    let (loaded, rows) = try afterKill(directory)
    #expect(loaded.changes == 112 && rows.count == 3101 && plain(loaded.index) == rows)
  }

  @Test func anImportMayStoreTheIndexItself() throws {
    try store.put(features(1...4000))
    try store.storeIndex(of: info(store))
    try store.put(features(3999...4001, "b"))
    let (loaded, rows) = try afterKill(directory)
    #expect(loaded.changes == 3 && rows.count == 4001 && plain(loaded.index) == rows)
    #expect(directory.names.filter { $0.contains(".index") }.count == 1)
  }

  @Test func whatHasExpiredStaysSo() throws {
    let directory = try TemporaryDirectory()
    let clock = HandClock()
    let start = clock.now
    var store = try clock.store(in: directory)
    var all = features(1...1200)
    for index in all.indices {
      let soon = start + Int64(index)
      all[index].expires = index < 200 ? soon : nil
    }
    try store.put(all)
    try keep(store)
    clock.now = start + 99
    let key = try info(store).key
    #expect(try store.removeExpired(from: [key], at: clock.now))
    clock.now = start + 149
    store.close()
    store = try clock.store(in: directory)
    var loaded = try store.loadIndex(of: info(store))
    #expect(loaded.index.count == 1050 && loaded.expired == 50 && loaded.changes == 0)
    // A clock that has gone back brings nothing back that was deleted.
    store.close()
    clock.now = start
    store = try clock.store(in: directory)
    loaded = try store.loadIndex(of: info(store))
    #expect(loaded.index.count == 1100 && loaded.fault != nil)
  }

  @Test func aClockThatWasFarAheadForATimeHidesNothing() throws {
    let directory = try TemporaryDirectory()
    let clock = HandClock()
    let start = clock.now
    let years: Int64 = 20 * 31_557_600_000
    var all = features(1...1200)
    all[0].expires = start + 10
    var store = try clock.store(in: directory)
    try store.put(all)
    try keep(store)
    clock.now = start + years
    #expect(try store.removeExpired(from: [info(store).key], at: clock.now))
    store.close()
    clock.now = start
    for round in 0..<3 {
      store = try clock.store(in: directory)
      let loaded = try store.loadIndex(of: info(store))
      #expect(loaded.index.count == 1199 + round && loaded.changes == [nil, 0, 1][round])
      var late = features(5001 + Int64(round)...5001 + Int64(round))
      late[0].expires = start + 3_600_000
      try store.put(late)
      if round == 0 { try keep(store) }
      store.close()
    }
  }

  @Test(arguments: Seeds.each(1...2))
  func aDamagedFileIsNotUsed(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    try store.put(features(1...1000))
    try keep(store)
    let rows = try store.features(of: "c")
    store.close()
    let path = try #require(indexFile(directory))
    let (database, whole) = (
      try directory.bytes(of: SQLiteStore.fileName), try Fixtures.bytes(path: path)
    )
    var used = 0
    for round in 0..<120 {
      var bytes = whole
      if round % 3 == 0 {
        bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
      } else {
        // The head and the table as often as all the rest.
        let ranges = [0..<80, 4096..<bytes.count, bytes.count - 96..<bytes.count]
        let place = Int.random(in: ranges[round % 7 % 3], using: &generator)
        bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      }
      try Fixtures.write(database, path: directory.database)
      try Fixtures.write(bytes, path: path)
      let store = try SQLiteStore(directory: directory.path)
      let loaded = try store.loadIndex(of: info(store))
      #expect(plain(loaded.index) == rows)
      if loaded.changes != nil { used += 1 } else { #expect(loaded.fault != nil) }
      // It is gone for good.
      #expect((indexFile(directory) != nil) == (loaded.changes != nil))
      store.close()
    }
    // Bytes 72 to 80 say nothing.
    #expect(used < 12)
  }

  @Test func anotherDatabaseHasAnotherFile() throws {
    try store.put(features(1...1000))
    try keep(store)
    store.close()
    // A backup from here, which goes on without what came later, and with other changes.
    let backup = try directory.bytes(of: SQLiteStore.fileName)
    let old = try #require(indexFile(directory))
    let oldFile = try Fixtures.bytes(path: old)
    let later = try SQLiteStore(directory: directory.path)
    try later.put(features(1...10, "later"))
    try keep(later)
    later.close()
    try Fixtures.write(backup, path: directory.database)
    let restored = try SQLiteStore(directory: directory.path)
    var loaded = try restored.loadIndex(of: info(restored))
    #expect(loaded.changes == nil && loaded.fault != nil)
    #expect(try plain(loaded.index) == restored.features(of: "c"))
    try restored.put(features(1...10, "other"))
    restored.close()
    try Fixtures.write(oldFile, path: old)
    let again = try SQLiteStore(directory: directory.path)
    loaded = try again.loadIndex(of: info(again))
    #expect(try plain(loaded.index) == again.features(of: "c"))
  }
}
