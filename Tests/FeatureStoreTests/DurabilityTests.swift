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
}
