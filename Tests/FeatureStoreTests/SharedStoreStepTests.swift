import ClusterCore
import Dispatch
import Glibc
import TestSupport
import Testing
import Threading

@testable import FeatureStore

/// Steps of several stores of one database from one state to the next, where something happens in between.
@Suite(
  .enabled(if: Replica.url != nil, "PINCLUSTER_TEST_POSTGRES names no database"),
  .timeLimit(.minutes(5)))
struct SharedStoreStepTests {
  private let schema = "t\(getpid())_\(UInt64.random(in: .min ... .max))"

  /// Has a store's tables be as they were, which another database is that has taken over without the last changes.
  private func withEarlierTables(
    _ replica: Replica, _ changes: () throws -> Void
  ) throws {
    let tables = ["collections", "features", "changes"]
    for table in tables { try replica.execute("CREATE TABLE kept_\(table) AS TABLE \(table)") }
    try changes()
    for table in tables {
      try replica.execute("DELETE FROM \(table)")
      try replica.execute("INSERT INTO \(table) OVERRIDING SYSTEM VALUE TABLE kept_\(table)")
      try replica.execute("DROP TABLE kept_\(table)")
    }
  }

  @Test(
    "a store that shows what never was, or is no longer, comes to what there is by its next step",
    arguments: [true, false], [1, 2])
  func replaced(byWriting: Bool, count: Int) throws {
    let (first, second) = (try Replica(schema), try Replica(schema))
    defer { first.dropSchema() }
    try first.upsert([Plain(.int(1), [1, 2]), Plain(.int(2), [1, 2])], into: "c")
    try withEarlierTables(first) {
      try first.upsert([Plain(.int(3), [1, 2])], into: "c")
      try first.delete([.int(1)], from: "c")
      try second.follow()
    }
    #expect(second.infos["c"]?.version == 3)
    // Others make the same versions of something else, and perhaps a later one.
    let third = try Replica(schema)
    for number in 0..<count + 1 {
      try third.upsert([Plain(.int(Int64(10 + number)), [3, 4])], into: "c")
    }
    let loads = second.loads
    if byWriting {
      try second.upsert([Plain(.int(20), [5, 6])], into: "c")
      try third.follow()
    } else {
      try second.follow()
    }
    #expect(second.plain("c") == third.plain("c"))
    #expect(second.infos["c"]?.version == third.infos["c"]?.version)
    #expect(second.loads == loads + 1)
    // And from there step by step.
    try third.upsert([Plain(.int(30), [7, 8])], into: "c")
    try second.follow()
    #expect(second.plain("c") == third.plain("c") && second.loads == loads + 1)
    // Nobody takes an index file of what was.
    try first.follow()
    #expect(first.plain("c") == third.plain("c"))
  }

  /// The outcome of a transaction of one store that waits for the end of another one's.
  private func outcome(
    of waiting: Replica, on ids: Set<String>, isTentative: Bool, after first: Replica,
    _ body: () throws -> Void
  ) throws -> Result<Void, any Error> {
    let process = try waiting.execute("SELECT pg_backend_pid()::bigint")[0].integer(0) ?? 0
    let third = try Replica(schema)
    nonisolated(unsafe) let waiting = waiting
    let outcome = Locked<Result<Void, any Error>>(.success(()))
    let end = DispatchSemaphore(value: 0)
    try first.store.transaction(on: ids) {
      try body()
      DispatchQueue.global().async {
        let result = Result {
          try waiting.store.transaction(on: ids, isTentative: isTentative) {
            _ = try waiting.upsertInTransaction([Plain(.int(3), [1, 2])], into: ids.max() ?? "")
          }
        }
        outcome.withLock { $0 = result }
        end.signal()
      }
      let isWaiting = "SELECT cardinality(pg_blocking_pids(\(process))) > 0"
      while try !third.execute(isWaiting).isTrue { usleep(5000) }
    }
    end.wait()
    return outcome.withLock { $0 }
  }

  @Test("a collection that is created while a transaction waits for others makes it begin again")
  func createdMeanwhile() throws {
    let (first, second) = (try Replica(schema), try Replica(schema))
    defer { first.dropSchema() }
    try first.upsert([Plain(.int(1), [1, 2])], into: "a")
    // The second waits for the row of the one, and the other has none yet that could be locked.
    let outcome = try outcome(of: second, on: ["a", "b"], isTentative: false, after: first) {
      _ = try first.upsertInTransaction([Plain(.int(2), [1, 2])], into: "a")
      _ = try first.upsertInTransaction([Plain(.int(2), [1, 2])], into: "b")
    }
    expectConflict(outcome)
    try second.upsert([Plain(.int(3), [1, 2])], into: "b")
    try first.follow()
    #expect(first.plain("b") == second.plain("b") && first.plain("b").count == 2)
  }

  @Test(
    "a collection that changes while a transaction waits isn't taken to be as it was",
    arguments: [false, true])
  func changedMeanwhile(isDropped: Bool) throws {
    let (first, second) = (try Replica(schema), try Replica(schema))
    defer { first.dropSchema() }
    try first.upsert([Plain(.int(1), [1, 2])], into: "a")
    try second.follow()
    let held = second.held
    let outcome = try outcome(of: second, on: ["a"], isTentative: true, after: first) {
      if isDropped {
        _ = try first.dropInTransaction("a")
      } else {
        _ = try first.upsertInTransaction([Plain(.int(2), [1, 2])], into: "a")
      }
    }
    expectConflict(outcome)
    second.held = held
    try second.upsert([Plain(.int(3), [1, 2])], into: "a")
    try first.follow()
    #expect(first.plain("a") == second.plain("a"))
    #expect(first.plain("a").count == (isDropped ? 1 : 3))
  }

  private func expectConflict(_ outcome: Result<Void, any Error>) {
    #expect {
      try outcome.get()
    } throws: { error in
      if case StoreError.conflict = error { true } else { false }
    }
  }

  @Test("what a transaction has begun on a connection isn't ended on another one") func lostInside()
    throws
  {
    let (first, second) = (try Replica(schema), try Replica(schema))
    defer { first.dropSchema() }
    try first.upsert([Plain(.int(1), [1, 2])], into: "c")
    let version = first.infos["c"]?.version
    let process = try first.execute("SELECT pg_backend_pid()::bigint")[0].integer(0) ?? 0
    let held = first.held
    var isPartUndone = false
    let outcome = Result {
      try first.store.transaction(on: ["c", "d"]) {
        _ = try first.upsertInTransaction([Plain(.int(2), [1, 2])], into: "c")
        try second.execute("SELECT pg_terminate_backend(\(process))")
        // A part that fails is undone alone, and others go on.
        do {
          try first.store.savepoint {
            _ = try first.upsertInTransaction([Plain(.int(2), [1, 2])], into: "d")
          }
        } catch { isPartUndone = true }
        _ = try first.upsertInTransaction([Plain(.int(3), [1, 2])], into: "c")
      }
    }
    #expect(throws: StoreError.self) { try outcome.get() }
    #expect(isPartUndone)
    first.held = held
    try first.follow()
    try second.follow()
    #expect(second.plain("c") == first.plain("c") && second.plain("c").count == 1)
    #expect(second.infos["c"]?.version == version)
  }
}
