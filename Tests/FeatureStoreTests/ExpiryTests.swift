import ClusterCore
import FeatureStore
import Glibc
import Synchronization
import TestSupport
import Testing

/// A clock that goes when it is told to.
final class HandClock: Sendable {
  private let time = Atomic<Int64>(1_000_000)

  var now: Int64 {
    get { time.load(ordering: .relaxed) }
    set { time.store(newValue, ordering: .relaxed) }
  }

  func store(in directory: TemporaryDirectory) throws -> SQLiteStore {
    try SQLiteStore(directory: directory.path, clock: WallClock { [self] in now })
  }
}

/// Features that expire: absent for every call from then on, deleted when asked for.
@Suite(.timeLimit(.minutes(5))) struct ExpiryTests {
  private let directory: TemporaryDirectory
  private let clock = HandClock()

  init() throws { directory = try TemporaryDirectory() }

  private func feature(_ id: Int64, expires: Int64? = nil) -> Plain {
    var feature = Plain(.int(id), [0, 0])
    feature.expires = expires
    return feature
  }

  @Test func expiredFeaturesAreAbsent() throws {
    var store = try clock.store(in: directory)
    let start = clock.now
    let all = [feature(1), feature(2, expires: start + 10), feature(3, expires: start + 20)]
    #expect(try store.put(all).inserted == 3)
    #expect(try store.features(of: "c") == all)
    clock.now = start + 9
    #expect(try store.features(of: "c").count == 3)
    clock.now = start + 10
    #expect(try store.features(of: "c") == [all[0], all[2]])
    #expect(try store.delete(.int(2), from: "c") == nil)
    // The row is still there, its id is free.
    let again = try store.put([feature(2), feature(3, expires: start + 30)])
    #expect(again.inserted == 1 && again.updated == 1 && again.info.featureCount == 3)
    // What has expired when it comes is stored and expired at once.
    #expect(try store.put([feature(4, expires: start)]).inserted == 1)
    #expect(try store.put([feature(4, expires: start)]).inserted == 1)
    clock.now = start + 30
    store.close()
    store = try clock.store(in: directory)
    #expect(try store.features(of: "c") == [feature(1), feature(2)])

    let info = try #require(try store.collections().first)
    #expect(info.featureCount == 4)
    let shown = store.versions.next()
    #expect(try store.removeExpired(from: [info.key], at: clock.now))
    let after = try #require(try store.collections().first)
    #expect(after.featureCount == 2 && after.version == shown + 1)
    #expect(try store.removeExpired(from: [99], at: clock.now))
    #expect(try store.collections() == [after])
    #expect(try store.features(of: "c") == [feature(1), feature(2)])
  }

  @Test func batchesOfFeaturesThatAreThereOrNotOrHaveExpired() throws {
    let store = try clock.store(in: directory)
    var generator = SeededGenerator(seed: 31)
    // When each row expires; of those that never do, `.max`.
    var rows: [Int64: Int64] = [:]
    for round in 0..<300 {
      clock.now += 1
      let now = clock.now
      let ids = (0..<40).filter { _ in generator.chance(0.4) }.map(Int64.init)
      let batch = ids.map { id in
        feature(id, expires: generator.chance(0.5) ? now + Int64(generator.int(0...4)) : nil)
      }
      let living = ids.count { rows[$0].map { $0 > now } ?? false }
      let result = try store.put(batch)
      for (id, one) in zip(ids, batch) { rows[id] = one.expires ?? .max }
      #expect(result.updated == living && result.inserted == ids.count - living, "\(round)")
      #expect(result.info.featureCount == rows.count, "\(round)")
    }
    #expect(try store.features(of: "c").count == rows.values.count { $0 > clock.now })
  }

  @Test func manyAreDeletedInParts() throws {
    let store = try clock.store(in: directory)
    let count = SQLiteStore.expiredAtOnce + 5
    let info = try store.put(
      (1...Int64(count)).map { feature($0, expires: 5) } + [
        feature(0), feature(-1, expires: FeatureRecord.expiryRange.upperBound),
      ]
    ).info
    #expect(try !store.removeExpired(from: [info.key], at: clock.now))
    #expect(try store.collections().first?.featureCount == 7)
    #expect(try store.features(of: "c").count == 2)
    #expect(try store.removeExpired(from: [info.key], at: clock.now))
    #expect(try store.collections().first?.featureCount == 2)
  }

  @Test func theCollectionsTimeToLiveIsTheDefault() throws {
    var store = try clock.store(in: directory)
    func put(_ ttl: ValueUpdate<Int64>) throws -> Int64? {
      try store.putCollection("c", title: .keep, description: .keep, ttl: ttl).info.ttl
    }
    #expect(try put(.keep) == nil)
    #expect(try put(.set(1000)) == 1000)
    #expect(try put(.keep) == 1000)
    store.close()
    store = try clock.store(in: directory)
    #expect(try store.collections().first?.ttl == 1000)
    var never = FeatureBatch()
    let properties: StaticString = "{}"
    never.append(
      id: .int(3), coordinate: Coordinate(latitude: 0, longitude: 0),
      further: UnsafeBufferPointer(start: nil, count: 0),
      properties: UnsafeRawBufferPointer(start: properties.utf8Start, count: 2), neverExpires: true)
    _ = try store.upsert(&never, into: "c")
    var batch = FeatureBatch([feature(1), feature(2, expires: 5_000_000), Plain(nil, [0, 0])])
    _ = try store.upsert(&batch, into: "c")
    #expect(batch.plain.map(\.expires) == [clock.now + 1000, 5_000_000, clock.now + 1000])

    try store.beginImport(into: "c")
    var imported = FeatureBatch([feature(7), Plain(nil, [0, 0]), feature(8, expires: 5_000_000)])
    _ = try store.importBatch(&imported)
    _ = try store.commitImport()
    clock.now += 999
    #expect(try store.features(of: "c").count == 7)
    // A write renews.
    try store.put([feature(1)])
    clock.now += 1
    #expect(try store.features(of: "c").map(\.id) == [1, 2, 3, 8].map { .int($0) })
    clock.now += 999
    #expect(try store.features(of: "c").map(\.id) == [2, 3, 8].map { .int($0) })
    #expect(try put(.clear) == nil)
    try store.put([feature(9)])
    #expect(try store.features(of: "c").last?.expires == nil)
  }

  @Test func versionsAreNeverGivenTwice() async throws {
    // A process that ends without a word after versions that it didn't write down.
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = directory.path as String] in
      let store = try SQLiteStore(directory: path)
      try store.put([Plain(.int(1), [0, 0])])
      for expected in 2...3000 as ClosedRange<Int64> {
        #expect(store.versions.next() == expected)
      }
      try store.put([Plain(.int(2), [0, 0])])
      kill(getpid(), SIGKILL)
    }
    var store = try clock.store(in: directory)
    var last = try store.put([feature(1)]).info.version
    #expect(last > 3001 && last < 30_000)
    // A store that was closed leaves no gap.
    let shown = store.versions.next()
    store.close()
    store = try clock.store(in: directory)
    last = try store.put([feature(1)]).info.version
    #expect(last == shown + 1)
    // Where nothing can be written for long, they go on above the time of day.
    clock.now = 2_000_000_000_000
    for _ in 0..<20_000 {
      let next = store.versions.next()
      #expect(next > last)
      last = next
    }
    #expect(last > clock.now)
    #expect(try store.put([feature(1)]).info.version == last + 1)
  }
}
