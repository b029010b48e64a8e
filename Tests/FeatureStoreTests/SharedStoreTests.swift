import ClusterCore
import Glibc
import TestSupport
import Testing
import Threading

@testable import FeatureStore

/// Several stores of one database against dictionaries: random writes by each of them, which the others follow now and
/// then, or not before they write themselves.
@Suite(
  .enabled(if: Replica.url != nil, "PINCLUSTER_TEST_POSTGRES names no database"),
  .timeLimit(.minutes(5)))
struct SharedStoreTests {
  @Test("every store comes to what dictionaries hold", arguments: Seeds.each(1...4))
  func storesAgree(seed: UInt64) throws {
    var model = SharedModel(seed: seed)
    var replicas = try (0..<3).map { _ in try Replica(model.schema) }
    defer { replicas[0].dropSchema() }
    for step in 0..<120 {
      let place = Int.random(in: 0..<3, using: &model.random)
      switch Int.random(in: 0..<12, using: &model.random) {
      case 0...8: try model.write(to: replicas[place])
      case 9, 10: try replicas[place].follow()
      default:
        replicas[place].store.close()
        replicas[place] = try Replica(model.schema, directory: replicas[place].directory)
      }
      if step % 10 == 9 {
        for replica in replicas { try replica.follow() }
        for replica in replicas { try model.check(replica, "seed \(seed), step \(step)") }
      }
    }
    let late = try Replica(model.schema)
    try model.check(late, "a late one, seed \(seed)")
  }

  @Test(
    "a large collection is loaded in ranges, and from its index file with what has changed since")
  func largeCollection() throws {
    let model = SharedModel(seed: 7)
    let first = try Replica(model.schema)
    defer { first.dropSchema() }
    let features = (0..<6000).map { (number: Int) -> Plain in
      let id: FeatureID = number % 3 == 0 ? .text("name \(number)") : .int(Int64(number))
      let position = [Double(number % 360) - 180, Double(number % 180) - 90]
      return Plain(id, position, #"{"n":\#(number)}"#)
    }
    for start in stride(from: 0, to: features.count, by: 2000) {
      try first.upsert(Array(features[start..<min(start + 2000, features.count)]), into: "c")
    }
    let second = try Replica(model.schema)
    #expect(second.plain("c") == first.plain("c"))
    #expect(second.plain("c").count == features.count)
    // Its index file, and changes after that.
    let info = try #require(second.store.shown["c"])
    let draft = try second.store.beginIndexFile(of: info)
    try draft.write(try #require(second.loaded["c"])) { true }
    try second.store.finishIndexFile(draft)
    second.store.close()
    try first.upsert([Plain(.int(1), [1, 2], #"{"n":"changed"}"#)], into: "c")
    try first.delete([.text("name 0"), .int(2)], from: "c")
    let third = try Replica(model.schema, directory: second.directory)
    #expect(third.changes["c"] == 3)
    #expect(third.plain("c") == first.plain("c"))
    // One that was cut short is not used.
    third.store.close()
    let name = try #require(third.directory.names.first { $0.hasSuffix(".index") })
    let bytes = try third.directory.bytes(of: name)
    try third.directory.write(bytes.dropLast(100), as: name)
    let fourth = try Replica(model.schema, directory: third.directory)
    #expect(fourth.changes["c"] == nil)
    #expect(fourth.plain("c") == first.plain("c"))
  }

  @Test("what was changed by hand is found, and names the collection")
  func changedByHand() throws {
    let model = SharedModel(seed: 8)
    let replica = try Replica(model.schema)
    defer { replica.dropSchema() }
    try replica.upsert([Plain(.int(1), [1, 2]), Plain(.int(2), [1, 2])], into: "c")
    for (change, undo) in [
      (
        "UPDATE features SET longitude = 3 WHERE number = 1",
        "UPDATE features SET longitude = 1 WHERE number = 1"
      ),
      (
        "UPDATE features SET collection = -1 WHERE number = 2",
        "UPDATE features SET collection = (SELECT key FROM collections) WHERE collection = -1"
      ),
      (
        "UPDATE collections SET version = version + 1",
        "UPDATE collections SET version = version - 1"
      ),
    ] {
      try replica.execute(change)
      #expect(throws: StoreError.self, "\(change)") { try Replica(model.schema) }
      try replica.execute(undo)
      _ = try Replica(model.schema)
    }
  }

  @Test("a store of which nothing can be read is away")
  func unreadable() throws {
    let model = SharedModel(seed: 9)
    let (first, second) = (try Replica(model.schema), try Replica(model.schema))
    defer { first.dropSchema() }
    try first.upsert([Plain(.int(1), [1, 2])], into: "c")
    try second.follow()
    try first.execute("ALTER TABLE collections RENAME TO elsewhere")
    for _ in 0..<2 {
      #expect(throws: StoreError.self) { try second.follow() }
      #expect(!second.store.link.isUp && second.store.link.failure.contains("collections"))
    }
    try first.execute("ALTER TABLE elsewhere RENAME TO collections")
    try first.upsert([Plain(.int(2), [1, 2])], into: "c")
    try second.follow()
    #expect(second.store.link.isUp && second.plain("c").count == 2)
  }

  @Test("a collection that couldn't be shown, and is dropped then, is told to be gone")
  func droppedUnseen() throws {
    let model = SharedModel(seed: 11)
    let (first, second) = (try Replica(model.schema), try Replica(model.schema))
    defer { first.dropSchema() }
    try first.upsert([Plain(.int(1), [1, 2])], into: "c")
    let info = try #require(first.infos["c"])
    second.store.couldNotShow(info, StoreError.noMemory(collection: "c"))
    #expect(second.store.link.withoutMemory == ["c"])
    try first.store.transaction(on: ["c"]) { _ = try first.store.dropCollection("c") }
    try second.follow()
    #expect(second.store.link.withoutMemory.isEmpty && second.dropped == ["c"])
  }

  @Test("old changes are forgotten, but for the last of each collection")
  func trimmed() throws {
    let model = SharedModel(seed: 10)
    let (first, second) = (try Replica(model.schema), try Replica(model.schema))
    defer { first.dropSchema() }
    for number in 0..<7 {
      for id in number < 3 ? ["c", "d"] : ["c"] {
        try first.upsert([Plain(.int(Int64(number)), [1, 2])], into: id)
      }
    }
    try second.follow()
    try first.upsert([Plain(.int(8), [1, 2])], into: "c")
    try first.execute("UPDATE changes SET at = at - 2 * 3600000000")
    try first.upsert([Plain(.int(9), [1, 2])], into: "d")
    func trim() throws -> Int {
      var turns = 0
      repeat {
        (first.store.nextTrim, turns) = (0, turns + 1)
      } while try first.store.trimChanges(
        atMost: 3)
      return turns
    }
    // Three of them at a time, of one collection, and once to see that there are no more.
    #expect(try trim() == 5)
    let rows = try first.execute(
      "SELECT k.id, k.version - k.trimmed, count(*) FROM collections AS k JOIN changes AS c ON c.collection = k.key GROUP BY 1, 2 ORDER BY 1"
    )
    let left = (0..<rows.count).map {
      "\(rows[$0].text(0) ?? "") \(rows[$0].integer(1) ?? -1) \(rows[$0].integer(2) ?? -1)"
    }
    #expect(left == ["c 1 1", "d 1 1"])
    // Whoever is behind that reads everything.
    try second.follow()
    #expect(second.plain("c") == first.plain("c") && second.plain("d") == first.plain("d"))
    try second.upsert([Plain(.int(11), [1, 2])], into: "c")
    try first.follow()
    #expect(second.plain("c") == first.plain("c"))
  }

  @Test("a schema of a newer version is refused and left alone")
  func newerSchema() throws {
    let model = SharedModel(seed: 9)
    let replica = try Replica(model.schema)
    defer { replica.dropSchema() }
    try replica.execute("UPDATE store SET version = version + 1")
    #expect {
      try Replica(model.schema)
    } throws: { error in
      if case StoreError.newerSchema = error { true } else { false }
    }
  }

  @Test("a schema of an earlier version gets the steps that it lacks, once, whoever comes first")
  func earlierSchema() throws {
    var model = SharedModel(seed: 10)
    let replica = try Replica(model.schema)
    defer { replica.dropSchema() }
    for _ in 0..<20 { try model.write(to: replica) }
    let later = PostgresSchema.migrations + [["ALTER TABLE collections ADD COLUMN later bigint"]]
    let configuration = PostgresStore.Configuration(
      address: try PostgresAddress(Replica.url ?? ""), schema: model.schema, directory: nil)
    let opened = Locked<[UInt64]>([])
    Threads.run(3) { _ in
      guard let connection = try? PostgresServers(configuration).connect(),
        let id = try? PostgresSchema.prepare(
          connection, schema: configuration.schema, migrations: later)
      else { return }
      opened.withLock { $0.append(id) }
    }
    #expect(opened.value.count == 3 && Set(opened.value).count == 1)
    let version = try replica.execute(
      "SELECT version, (SELECT count(later) FROM collections) FROM store")
    #expect(version[0].integer(0) == Int64(later.count) && version[0].integer(1) == 0)
    // The instance of the version before goes on; another one of it doesn't start.
    for _ in 0..<20 { try model.write(to: replica) }
    try model.check(replica, "beside a later schema")
    #expect(throws: StoreError.self) { try Replica(model.schema) }
  }
}

/// What the stores should hold.
private struct SharedModel {
  struct Collection {
    var features: [FeatureID: Plain] = [:]
    var title: String?
    var version: Int64 = 0
    var largest: Int64 = 0
  }

  var collections: [String: Collection] = [:]
  /// The highest version of a collection that was dropped.
  var floor: Int64 = 0
  var random: SeededGenerator
  let schema: String

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    schema = "t\(getpid())_\(UInt64.random(in: .min ... .max))"
  }

  /// Several writes in one transaction, some of them undone, and sometimes all.
  mutating func write(to replica: Replica) throws {
    let ids = Set(
      (0..<Int.random(in: 1...2, using: &random)).map { _ in
        ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
      })
    replica.store.assuming.hurry()
    let isCurrent = ids.allSatisfy { replica.infos[$0]?.version == collections[$0]?.version }
    if !isCurrent, ids.allSatisfy({ replica.infos[$0] != nil }) {
      // What others have changed isn't taken to be as it was.
      let held = replica.held
      #expect {
        try replica.store.transaction(on: ids, isTentative: true) {
          try replica.upsertInTransaction([Plain(.int(1), [1, 2])], into: ids.first ?? "a")
        }
      } throws: { error in
        if case StoreError.conflict = error { true } else { false }
      }
      replica.held = held
    }
    try write(to: replica, on: ids, isTentative: isCurrent && Bool.random(using: &random))
  }

  private mutating func write(
    to replica: Replica, on ids: Set<String>, isTentative: Bool
  ) throws {
    struct Undone: Error {}
    let fails = Int.random(in: 0..<6, using: &random) == 0
    let before = (collections, floor)
    var held = replica.held
    do {
      try replica.store.transaction(on: ids, isTentative: isTentative) {
        // What others have written is there now.
        held = replica.held
        for _ in 0..<Int.random(in: 0...5, using: &random) {
          let kept = (collections, replica.held)
          let undoes = Int.random(in: 0..<4, using: &random) == 0
          do {
            try replica.store.savepoint {
              try change(ids.sorted().randomElement(using: &random) ?? "a", replica)
              if undoes { throw Undone() }
            }
          } catch is Undone {
            (collections, replica.held) = kept
          }
        }
        if Int.random(in: 0..<8, using: &random) == 0, let id = ids.sorted().first {
          let version = try replica.dropInTransaction(id)
          #expect(version == collections[id].map { $0.version + 1 })
          if let version { floor = max(floor, version) }
          collections[id] = nil
        }
        if fails { throw Undone() }
      }
    } catch is Undone {
      (collections, floor) = before
      replica.held = held
    } catch StoreError.conflict where isTentative {
      // It creates a collection, or is undone.
      (collections, floor) = before
      replica.held = held
      try write(to: replica, on: ids, isTentative: false)
    }
  }

  private mutating func change(_ id: String, _ replica: Replica) throws {
    switch Int.random(in: 0..<6, using: &random) {
    case 0...3:
      let features = randomFeatures()
      var collection = collections[id] ?? Collection(version: floor)
      let isNew = collections[id] == nil
      let (result, stored) = try replica.upsertInTransaction(features, into: id)
      for case .integer(let value)? in features.map(\.id?.key) {
        collection.largest = max(collection.largest, value)
      }
      var inserted = 0
      for feature in stored {
        let feature = feature
        let id = try #require(feature.id)
        if case .integer(let value) = id.key { collection.largest = max(collection.largest, value) }
        if collection.features.removeValue(forKey: id) == nil { inserted += 1 }
        collection.features[id] = feature
      }
      collection.version += 1
      collections[id] = collection
      #expect(result.createdCollection == isNew)
      #expect((result.inserted, result.updated) == (inserted, features.count - inserted))
      #expect(result.info.version == collection.version)
    case 4:
      let victims = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        collections[id]?.features.keys.sorted().randomElement(using: &random) ?? randomID()
      }
      let info = try replica.deleteInTransaction(victims, from: id)
      let there = Set(victims).filter { collections[id]?.features[$0] != nil }
      #expect((info == nil) == there.isEmpty)
      for victim in there { collections[id]?.features[victim] = nil }
      if !there.isEmpty { collections[id]?.version += 1 }
    default:
      let title = ["", "Füße \0 😀", "x"].randomElement(using: &random) ?? ""
      let info = try replica.putInTransaction(id, title: .set(title))
      var collection = collections[id] ?? Collection(version: floor)
      collection.version += 1
      collection.title = title
      collections[id] = collection
      #expect(info.version == collection.version)
    }
  }

  func check(_ replica: Replica, _ comment: Comment) throws {
    #expect(replica.infos.keys.sorted() == collections.keys.sorted(), comment)
    for (id, collection) in collections {
      let info = try #require(replica.infos[id], comment)
      #expect(info.version == collection.version && info.title == collection.title, comment)
      #expect(info.featureCount == collection.features.count, comment)
      #expect(info.largestInteger == collection.largest, comment)
      #expect(
        replica.plain(id) == collection.features.sorted { $0.key < $1.key }.map(\.value), comment)
    }
  }

  private mutating func randomFeatures() -> [Plain] {
    (0..<Int.random(in: 0...12, using: &random)).map { _ in
      let id = Int.random(in: 0..<4, using: &random) == 0 ? nil : randomID()
      let further =
        [[], [], [1.5], [-0.0, 2, .leastNonzeroMagnitude]].randomElement(using: &random) ?? []
      var feature = Plain(
        id, [Double.random(in: -180...180, using: &random), -0.0] + further,
        #"{"name":"ä\u0000😀","n":\#(Int.random(in: 0..<9, using: &random))}"#)
      if Bool.random(using: &random) {
        feature.expires = Int64.random(in: 9_000_000_000_000...90_000_000_000_000, using: &random)
      }
      return feature
    }
  }

  private mutating func randomID() -> FeatureID {
    let number = Int64.random(in: -8...8, using: &random)
    let texts = [
      "é", "e\u{301}", "\u{10FFFF}", "a", "A", "007", "'; --", " ", "{}", "\\", "\"",
      String(repeating: "\u{10000}", count: 256), ".", "..",
    ]
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .text(String(number))
    case 1: return .text(texts.randomElement(using: &random) ?? "x")
    case 2: return .int([1 << 40, -9_007_199_254_740_991].randomElement(using: &random) ?? 0)
    default: return .int(number)
    }
  }
}
