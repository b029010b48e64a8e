import ClusterCore
import FeatureStore
import Glibc
import Testing

/// What outlives a killed process, and what a full disk does.
@Suite(.timeLimit(.minutes(5))) struct DurabilityTests {
  @Test func aKillLosesNothingThatWasAnswered() async throws {
    let directory = TemporaryDirectory()
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

  @Test func aFullDiskWhileTheDatabaseIsMade() async throws {
    let directory = TemporaryDirectory()
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
    let directory = TemporaryDirectory()
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
