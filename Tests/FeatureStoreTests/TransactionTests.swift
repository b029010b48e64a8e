import ClusterCore
import FeatureStore
import Glibc
import TestSupport
import Testing

/// Transactions that writes share, where something goes wrong.
@Suite(.timeLimit(.minutes(5))) struct TransactionTests {
  private let largest = FeatureID.integerRange.upperBound

  @Test func aRefusedWriteLeavesTheOthersAlone() throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    let refused = [Plain(.int(largest), [0, 0]), Plain(nil, [0, 0])]
    try store.transaction {
      try store.savepoint { _ = try store.put([Plain(.int(1), [1, 1])]) }
      for id in ["c", "new"] {
        #expect(throws: StoreError.idsExhausted(collection: id)) {
          try store.savepoint { try store.put(refused, into: id) }
        }
      }
      let result = try store.savepoint { try store.put([Plain(nil, [2, 2])]) }
      // Each write has its own version, those of refused ones are not given again, and the next id is as
      // if these had never been.
      #expect(result.info.version == 4 && result.info.largestInteger == 2)
    }
    #expect(try store.collections().map(\.id) == ["c"])
    #expect(try store.collections().map(\.featureCount) == [2])
    let reopened = try {
      store.close()
      return try SQLiteStore(directory: directory.path)
    }()
    #expect(try reopened.features(of: "c").map(\.id) == [.int(1), .int(2)])
    #expect(try reopened.put([]).info.version == 5)
  }

  @Test func withoutASavepointARefusedWriteEndsTheTransaction() throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    try store.put([Plain(.int(1), [1, 1])])
    let before = try store.collections()
    let refused = [Plain(.int(largest), [0, 0]), Plain(nil, [0, 0])]
    #expect(throws: StoreError.idsExhausted(collection: "c")) {
      try store.transaction {
        try store.put([Plain(.int(2), [2, 2])])
        _ = try? store.put(refused)
        _ = try? store.put([Plain(.int(3), [3, 3])])
      }
    }
    #expect(try store.collections() == before)
    #expect(try store.features(of: "c").map(\.id) == [.int(1)])
  }

  @Test func transactionsDontNest() throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    #expect(throws: StoreError.self) { try store.savepoint {} }
    try store.transaction {
      #expect(throws: StoreError.self) { try store.transaction {} }
      #expect(throws: StoreError.self) { try store.beginImport(into: "c") }
      _ = try store.savepoint {
        #expect(throws: StoreError.self) { try store.savepoint {} }
      }
      try store.put([Plain(.int(1), [1, 1])])
    }
    try store.beginImport(into: "d")
    #expect(throws: StoreError.self) { try store.transaction {} }
    #expect(throws: StoreError.self) { try store.savepoint {} }
    store.rollbackImport()
    #expect(try store.collections().map(\.id) == ["c"])
  }

  /// The disk is full long before the commit, as more is written than the cache of pages holds: SQLite
  /// may undo everything on its own, and what comes then must not be kept alone.
  @Test func aFullDiskInTheMiddleEndsTheWholeTransaction() async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      let store = try SQLiteStore(directory: path)
      try store.put([Plain(.int(1), [1, 2])])
      let before = try store.collections()
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let unlimited = limit.rlim_cur
      limit.rlim_cur = 1 << 20
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let text = #"{"t":""# + String(repeating: "x", count: 1 << 20) + #""}"#
      var failures = 0
      #expect(
        performing: {
          try store.transaction {
            for number in 0..<60 {
              do {
                try store.savepoint {
                  _ = try store.put([Plain(.int(Int64(number)), [0, 0], text)])
                }
              } catch { failures += 1 }
            }
            // Not one by one, now that there is no transaction.
            _ = try? store.savepoint { try store.put([Plain(.int(99), [0, 0])]) }
          }
        },
        throws: { if case .full? = $0 as? StoreError { true } else { false } })
      #expect(failures > 0)
      #expect(try store.collections() == before)
      #expect(try store.features(of: "c") == [Plain(.int(1), [1, 2])])
      limit.rlim_cur = unlimited
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #expect(try store.put([Plain(.int(2), [1, 2])]).info.version > 1)
    }
    let store = try SQLiteStore(directory: directory.path)
    #expect(try store.features(of: "c").map(\.id) == [.int(1), .int(2)])
  }
}
