import ClusterCore
import Glibc
import TestSupport
import Testing
import Threading

@testable import FeatureStore

/// What outlives a killed process, and what a full disk does.
@Suite(.timeLimit(.minutes(5))) struct DurabilityTests {
  @Test func aKillLosesNothingThatWasAnswered() async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String] in
      let store = try SQLiteStore(directory: path)
      try store.put((1...100).map { Plain(.int($0), [1, 2]) })
      _ = try store.delete(.int(7), from: "c")
      // An import under way isn't part of what was answered.
      try store.beginImport(into: "c")
      for part in 0..<20 {
        var batch = FeatureBatch(
          (0..<100).map { Plain(.int(1000 + Int64(part * 100 + $0)), [0, 0]) })
        _ = try store.importBatch(&batch)
      }
      kill(getpid(), SIGKILL)
    }
    let store = try SQLiteStore(directory: directory.path)
    #expect(try store.collections().map(\.version) == [2])
    #expect(try store.collections().map(\.largestInteger) == [100])
    #expect(try store.features(of: "c").map(\.id) == (1...100).filter { $0 != 7 }.map { .int($0) })
  }

  /// Processes that are killed one after the other, of which none could raise the ceiling.
  @Test(arguments: [7, 1_700_000_000_000, 1_700_000_000_000_000] as [Int64])
  func noVersionComesAgainAboveTheCeiling(ceiling: Int64) {
    let time = Locked<Int64>(1_700_000_000_000)
    let clock = WallClock { time.value }
    var generator = SeededGenerator(seed: UInt64(ceiling))
    var seen: Set<Int64> = []
    for _ in 0..<20 {
      let counter = VersionCounter(after: ceiling, clock: clock)
      for _ in 0..<500 {
        let isNew = seen.insert(counter.next()).inserted
        #expect(isNew)
        if generator.chance(0.3) { time.withLock { $0 += 1 } }
      }
      time.withLock { $0 += 50 }
    }
  }

  @Test func aFullDiskWhileTheDatabaseIsMade() async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 20_000, rlim_max: 1 << 40)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #expect(
        performing: { try SQLiteStore(directory: path) },
        throws: { if case .full? = $0 as? StoreError { true } else { false } })
    }
    #expect(!directory.names.contains(SQLiteStore.fileName))
    #expect(try SQLiteStore(directory: directory.path).collections().isEmpty)
  }

  @Test func aFullDiskUndoesTheWriteAndNoMore() async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      let store = try SQLiteStore(directory: path)
      try store.put([Plain(.int(1), [1, 2])])
      let before = try store.collections()
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let unlimited = limit
      limit.rlim_cur = 200_000
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)

      func isFull(_ error: any Error) -> Bool {
        if case .full? = error as? StoreError { true } else { false }
      }
      let large = (1...20).map { index in
        Plain(.int(index), [0, 0], #"{"t":""# + String(repeating: "x", count: 50_000) + #""}"#)
      }
      for _ in 0..<3 {
        #expect(performing: { try store.put(large, into: "d") }, throws: isFull)
      }
      #expect(
        performing: {
          // More than the page cache holds, so that pages spill while the import goes on.
          try store.beginImport(into: "d")
          for part in 0..<100 {
            var batch = FeatureBatch(
              large.map { feature in
                var feature = feature
                if case .integer(let value)? = feature.id?.key {
                  feature.id = .int(value + Int64(part) * 20)
                }
                return feature
              })
            _ = try store.importBatch(&batch)
          }
          _ = try store.commitImport()
        }, throws: isFull)
      #expect(try store.collections() == before)
      #expect(try store.features(of: "c") == [Plain(.int(1), [1, 2])])
      try store.put([Plain(.int(2), [1, 2])])

      var back = unlimited
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &back)
      try store.put(large, into: "d")
      #expect(try store.features(of: "d") == large)
    }
    let store = try SQLiteStore(directory: directory.path)
    #expect(try store.collections().map(\.featureCount) == [2, 20])
  }

  /// A reader cuts a copy of the log short, so that what is copied isn't synchronized yet. When that fails with the next copy,
  /// SQLite copies only what that had copied once more, and would begin the log anew.
  @Test(arguments: [false, true]) func aFailedSynchronizationOfTheDatabaseLosesNothing(
    isClosed: Bool
  ) throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    func put(_ ids: ClosedRange<Int64>, _ number: Int) throws {
      let properties = #"{"n":\#(number),"pad":"\#(String(repeating: "x", count: 500))"}"#
      try store.put(ids.map { Plain(.int($0), [1, 2], properties) })
    }
    try put(1...500, 1)
    try store.checkpoint()
    let file = try ForgetfulFile(of: store, in: directory)
    try put(1...100, 2)
    // Neither this one nor the store's own is held until the end, as only the last one to close copies the log.
    var reader: Connection? = try Connection(path: directory.database, .readOnly)
    try reader?.execute("BEGIN")
    #expect(try reader?.integer("SELECT count(*) FROM features") == 500)
    try put(401...500, 3)
    func checkpoint() throws { try store.writable().connection.checkpoint() }
    try checkpoint()
    #expect(file.counts.syncs == 0 && file.counts.pending > 0 && store.logFault == nil)
    try reader?.execute("ROLLBACK")
    reader = nil
    file.failNext()
    try checkpoint()
    #expect(file.counts.syncs == 1)
    #expect(store.logFault?.contains("until the next start") == true)
    for number in 4...9 {
      try checkpoint()
      try put(200...220, number)
    }
    #expect(store.logFault?.contains("until the next start") == true)
    let features = try store.features(of: "c")
    if isClosed { store.close() }

    let after = try file.directoryAfterPowerFailure(of: directory)
    let reopened = try SQLiteStore(directory: after.path)
    #expect(try reopened.features(of: "c") == features)
    // The whole log is copied then, and goes.
    try reopened.put([Plain(.int(1000), [1, 2])])
    try reopened.writable().connection.checkpoint()
    #expect(reopened.logFault == nil)
    reopened.close()
    #expect(!after.names.contains(SQLiteStore.fileName + "-wal"))
    #expect(try SQLiteStore(directory: after.path).features(of: "c").count == 501)
  }
}
