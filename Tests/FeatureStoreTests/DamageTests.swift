import ClusterCore
import Glibc
import TestSupport
import Testing

@testable import FeatureStore

/// Files that aren't what the store wrote: an error each time, never a trap, never a fresh start.
@Suite(.timeLimit(.minutes(5))) struct DamageTests {
  /// A directory with a closed store of 500 features, and the bytes of its database.
  private func closedStore() throws -> (directory: TemporaryDirectory, bytes: [UInt8]) {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    _ = try store.putCollection("c", title: .set("t"), description: .keep)
    try store.put((1...500).map { Plain(.int($0), [1, 2], #"{"name":"feature"}"#) })
    store.close()
    return (directory, try directory.bytes(of: SQLiteStore.fileName))
  }

  @Test func closingLeavesOneWholeFile() throws {
    let (directory, bytes) = try closedStore()
    #expect(directory.names == ["pincluster.db", "pincluster.lock"])
    #expect(bytes[68..<72].elementsEqual("PinC".utf8))
    try readAll(directory)
  }

  @Test(arguments: [0, 1, 99, 100, 4096, 8192, 20_000])
  func cutShort(length: Int) throws {
    let (directory, bytes) = try closedStore()
    try Fixtures.write(Array(bytes.prefix(length)), path: directory.database)
    expectDamaged(directory)
    #expect(try directory.bytes(of: SQLiteStore.fileName).count == length)
  }

  @Test func lastPageIsMissing() throws {
    let (directory, bytes) = try closedStore()
    try Fixtures.write(bytes.dropLast(8192), path: directory.database)
    expectDamaged(directory)
  }

  @Test func notADatabase() throws {
    let directory = try TemporaryDirectory()
    try Fixtures.write(Array("name,lon,lat\nBonn,7.1,50.7\n".utf8), path: directory.database)
    expectDamaged(directory)
    var random = SeededGenerator(seed: 1)
    try Fixtures.write(
      (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &random) }, path: directory.database
    )
    expectDamaged(directory)
  }

  @Test func emptyPages() throws {
    let (directory, bytes) = try closedStore()
    for page in 1..<(bytes.count / 8192) {
      var damaged = bytes
      for offset in page * 8192..<(page + 1) * 8192 { damaged[offset] = 0 }
      try Fixtures.write(damaged, path: directory.database)
      expectDamaged(directory)
    }
  }

  @Test func logWithoutDatabase() throws {
    let (directory, _) = try closedStore()
    rename(directory.database, directory.database + "-wal")
    expectDamaged(directory)
    unlink(directory.database + "-wal")
    try readAll(directory)
  }

  /// What a kill while the database was being made leaves behind.
  @Test func interruptedCreation() throws {
    let directory = try TemporaryDirectory()
    for bytes in [[], Array("SQLite format 3".utf8)] {
      try Fixtures.write(bytes, path: directory.database + ".new")
      try Fixtures.write(bytes, path: directory.database + ".new-journal")
      try readAll(directory)
      #expect(directory.names == ["pincluster.db", "pincluster.lock"])
      unlink(directory.database)
    }
  }

  @Test func otherVersionsAndApplications() throws {
    let (directory, bytes) = try closedStore()
    func write(_ value: UInt8, at offset: Int) throws {
      var changed = bytes
      changed[offset] = value
      try Fixtures.write(changed, path: directory.database)
    }
    try write(UInt8(Schema.version + 1), at: 63)
    #expect(
      throws: StoreError.newerSchema(
        path: directory.database, found: Schema.version + 1,
        supported: Schema.version)
    ) { try readAll(directory) }
    try write(0, at: 63)
    expectDamaged(directory)
    try write(0xFF, at: 60)
    expectDamaged(directory)
    try write(UInt8(ascii: "X"), at: 68)
    expectDamaged(directory)
    try Fixtures.write(bytes, path: directory.database)
    try readAll(directory)
  }

  /// Each bit of the header in turn: an error, or everything as it was; and a write doesn't trap.
  @Test func flippedBitsOfTheHeader() throws {
    let (directory, bytes) = try closedStore()
    let expected = try SQLiteStore(directory: directory.path).features(of: "c")
    for bit in 0..<800 {
      var changed = bytes
      changed[bit / 8] ^= 1 << (bit % 8)
      try Fixtures.write(changed, path: directory.database)
      do {
        let store = try SQLiteStore(directory: directory.path)
        #expect(try store.features(of: "c") == expected, "bit \(bit)")
        try store.put([Plain(.int(1000), [0, 0])])
      } catch {
        #expect(error is StoreError, "bit \(bit)")
      }
      for suffix in ["-wal", "-shm"] { unlink(directory.database + suffix) }
    }
  }

  /// Random bytes anywhere: what is read may be another text, but nothing traps.
  @Test(arguments: Seeds.each(1...3))
  func randomBytesAnywhere(seed: UInt64) throws {
    let (directory, bytes) = try closedStore()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        changed[Int.random(in: 100..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      try Fixtures.write(changed, path: directory.database)
      do {
        let store = try SQLiteStore(directory: directory.path)
        _ = try store.features(of: "c")
        try store.put([Plain(.int(250), [0, 0]), Plain(nil, [0, 0])])
        _ = try store.dropCollection("c")
      } catch {
        #expect(error is StoreError)
      }
      for suffix in ["-wal", "-shm"] { unlink(directory.database + suffix) }
    }
  }
}
