import ClusterCore
import Glibc
import TestSupport
import Testing
import Threading

@testable import FeatureStore

/// Transactions that take the collections to be as they are shown: how often they go to the database, and what becomes of them
/// where the connection is lost.
@Suite(
  .enabled(if: Replica.url != nil, "PINCLUSTER_TEST_POSTGRES names no database"),
  .timeLimit(.minutes(5)))
struct TentativeTests {
  private let schema = "t\(getpid())_\(UInt64.random(in: .min ... .max))"

  /// A store behind a relay and one that follows it, both of which show the collections `a` and `b`.
  private func pair() throws -> (relay: PostgresRelay, first: Replica, second: Replica) {
    let relay = try PostgresRelay(to: Replica.url ?? "")
    let (first, second) = (try Replica(schema, through: relay), try Replica(schema))
    for id in ["a", "b"] { try second.upsert([Plain(.int(1), [1, 2])], into: id) }
    try first.follow()
    return (relay, first, second)
  }

  /// Writes to both collections in a transaction that isn't repeated.
  private func writeBoth(_ replica: Replica, _ id: Int64 = 2) throws {
    try replica.store.transaction(on: ["a", "b"], isTentative: true) {
      for collection in ["a", "b"] {
        _ = try replica.upsertInTransaction([Plain(.int(id), [1, 2])], into: collection)
      }
    }
  }

  /// That stores show the rows of their collections, at the times of their last changes.
  private func expectSame(_ replicas: [Replica], count: Int, version: [Int64]) throws {
    for (id, version) in zip(["a", "b"], version) {
      let row = try replicas[1].execute(
        """
        SELECT (SELECT count(*) FROM features AS f WHERE f.collection = k.key), k.version, k.token,
          (SELECT at FROM changes AS c WHERE c.collection = k.key AND c.version = k.version)
        FROM collections AS k WHERE id = '\(id)'
        """)[0]
      #expect(row.integer(0) == Int64(count) && row.integer(1) == version)
      for replica in replicas {
        let info = try #require(replica.store.shown[id])
        #expect(info.version == version && info.token == row.integer(2))
        #expect(info.time == row.integer(3))
        #expect(replica.plain(id).count == count)
      }
    }
  }

  @Test("a write is one batch, and five where others were faster") func batches() throws {
    let (relay, first, second) = try pair()
    defer { second.dropSchema() }
    func count(_ body: () throws -> Void) rethrows -> Int {
      let before = relay.batches
      try body()
      return relay.batches - before
    }
    // The first one has the statements prepared, in the same batch.
    for id in 2..<5 {
      #expect(try count { try first.upsert([Plain(.int(Int64(id)), [1, 2])], into: "a") } == 1)
    }
    #expect(try count { try first.delete([.int(1)], from: "a") } == 1)
    #expect(try count { try writeBoth(first, 9) } == 1)
    try second.follow()
    try second.upsert([Plain(.int(10), [1, 2])], into: "a")
    // That, the end of that, the lock, what others have changed, and the write. The next attempt isn't at once.
    let pause = first.store.assuming.pause
    #expect(try count { try first.upsert([Plain(.int(11), [1, 2])], into: "a") } == 5)
    #expect(first.store.assuming.pause == 2 * pause)
    first.store.assuming.hurry()
    #expect(try count { try first.upsert([Plain(.int(12), [1, 2])], into: "a") } == 1)
    // More than libpq keeps before it sends.
    let large = Plain(.int(13), [1, 2], #"{"t":"\#(String(repeating: "x", count: 3 << 20))"}"#)
    #expect(try count { try first.upsert([large], into: "a") } == 1)
    try second.follow()
    #expect(second.plain("a") == first.plain("a"))
  }

  @Test(
    "a transaction on two collections that is lost is prevented in both, whatever comes late or is lost then",
    arguments: [
      [.swallowed], [.cut], [.late], [.swallowed, .unanswered], [.swallowed, .swallowed],
      [.cut, .cut], [.cut, .unanswered, .unanswered], [.late, .unanswered],
    ] + (PostgresRelay.canVanish ? [[.vanished]] : []) as [[PostgresRelay.Fate]])
  func prevented(fates: [PostgresRelay.Fate]) throws {
    let (relay, first, second) = try pair()
    defer { second.dropSchema() }
    let held = first.held
    relay.lose(fates)
    // The outcome isn't uncertain, also where the server only finds out after a while that a connection is gone.
    #expect {
      try writeBoth(first)
    } throws: { error in
      if case StoreError.away = error { true } else { false }
    }
    #expect(relay.isDone)
    first.held = held
    if fates[0] == .late { relay.release() }
    // Whoever prevents it makes a version of the first of them.
    for replica in [first, second] { try replica.follow() }
    try expectSame([first, second], count: 1, version: [2, 1])
    first.store.assuming.hurry()
    try writeBoth(first)
    try second.follow()
    try expectSame([first, second], count: 2, version: [3, 2])
  }

  @Test(
    "a transaction on two collections whose answer is lost is there, with the times of its changes",
    arguments: [[.unanswered], [.unanswered, .swallowed]] as [[PostgresRelay.Fate]])
  func unanswered(fates: [PostgresRelay.Fate]) throws {
    let (relay, first, second) = try pair()
    defer { second.dropSchema() }
    relay.lose(fates)
    try writeBoth(first)
    #expect(relay.isDone)
    try second.follow()
    try expectSame([first, second], count: 2, version: [2, 2])
  }

  @Test("collections that somebody else locks for long are away for a while, and no more")
  func lockedForLong() throws {
    let (relay, first, second) = try pair()
    defer { second.dropSchema() }
    let process = try first.execute("SELECT pg_backend_pid()::bigint")[0].integer(0)
    let held = first.held
    try second.execute("BEGIN")
    try second.execute("SELECT FROM collections WHERE id = 'b' FOR UPDATE")
    let start = MonotonicTime.now
    #expect {
      try writeBoth(first)
    } throws: { error in
      if case StoreError.away = error { true } else { false }
    }
    // By then a silent connection would be given up.
    #expect(MonotonicTime.now - start < 8_000_000_000)
    first.held = held
    try second.execute("ROLLBACK")
    let before = relay.batches
    try writeBoth(first)
    #expect(relay.batches == before + 1)
    #expect(try first.execute("SELECT pg_backend_pid()::bigint")[0].integer(0) == process)
    try second.follow()
    try expectSame([first, second], count: 2, version: [2, 2])
  }

  @Test("no time is settled while a transaction isn't committed whose change is earlier")
  func settled() throws {
    let (relay, first, second) = try pair()
    defer { second.dropSchema() }
    relay.lose([.held])
    nonisolated(unsafe) let writer = first
    let outcome = Locked<Result<Void, any Error>>(.failure(CancellationError()))
    let thread = Threads.start { [self] in
      let result = Result { try writeBoth(writer) }
      outcome.withLock { $0 = result }
    }
    relay.isHeld.wait()
    usleep(1_100_000)
    try second.follow()
    let settled = max(second.settled["a"] ?? 0, second.settled["b"] ?? 0)
    relay.release()
    thread.join()
    try outcome.value.get()
    let time = try #require(first.store.shown["a"]?.time)
    #expect(settled <= time)
    try second.follow()
    #expect(try #require(second.settled["a"]) >= time - time % 1_000_000)
    try expectSame([first, second], count: 2, version: [2, 2])
  }

  @Test("what was edited by hand in a collection's row is undone by the next write") func edited()
    throws
  {
    let (relay, first, second) = try pair()
    defer { second.dropSchema() }
    for edit in ["feature_count = 7", "title = 'T'", "largest_integer = 99", "checksum = 0"] {
      try second.execute("UPDATE collections SET \(edit)")
      #expect(throws: StoreError.self) { try Replica(schema) }
      let before = relay.batches
      try writeBoth(first)
      #expect(relay.batches == before + 1)
      let third = try Replica(schema)
      try expectSame([first, third], count: 2, version: [])
      #expect(third.infos["a"]?.title == nil && third.infos["a"]?.featureCount == 2)
      #expect(third.infos["a"]?.largestInteger == 2)
    }
  }

  @Test("what nobody can tell, as the collection is gone, isn't waited for") func untold() throws {
    let (relay, first, second) = try pair()
    defer { second.dropSchema() }
    try second.store.transaction(on: ["a"]) { _ = try second.dropInTransaction("a") }
    relay.lose([.swallowed])
    let start = MonotonicTime.now
    #expect {
      try first.store.transaction(on: ["a"], isTentative: true) {
        _ = try first.upsertInTransaction([Plain(.int(2), [1, 2])], into: "a")
      }
    } throws: { error in
      if case StoreError.uncertain = error { true } else { false }
    }
    #expect(relay.isDone && MonotonicTime.now - start < 8_000_000_000)
    try first.follow()
    #expect(first.infos["a"] == nil)
  }
}
