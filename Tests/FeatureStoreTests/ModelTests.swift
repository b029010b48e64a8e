import ClusterCore
import FeatureStore
import TestSupport
import Testing

/// The store against dictionaries: random writes and re-openings, everything compared bit for bit.
@Suite(.timeLimit(.minutes(5))) struct ModelTests {
  @Test(arguments: Seeds.each(1...4))
  func storeDoesWhatDictionariesDo(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var model = Model(seed: seed)
    var store = try SQLiteStore(directory: directory.path)
    let storeID = store.storeID
    for step in 0..<80 {
      let collection = ["a", "b", "C-_9"].randomElement(using: &model.random) ?? "a"
      switch Int.random(in: 0..<15, using: &model.random) {
      case 0...5: try model.upsert(into: collection, of: store)
      case 6, 7: try model.delete(from: collection, of: store)
      case 8: try model.put(collection, in: store)
      case 9: try model.drop(collection, of: store)
      case 10: try model.importBatches(into: collection, of: store)
      case 11...13: try model.transaction(of: store)
      default:
        store.close()
        store = try SQLiteStore(directory: directory.path)
      }
      #expect(store.storeID == storeID)
      try model.check(store, "seed \(seed), step \(step)")
    }
  }
}

/// What the store should hold.
private struct Model {
  struct Collection {
    var features: [FeatureID: Plain] = [:]
    var title: String?
    var description: String?
    var version: Int64 = 0
    var largest: Int64 = 0
  }

  var collections: [String: Collection] = [:]
  var version: Int64 = 0
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func upsert(into id: String, of store: SQLiteStore) throws {
    let features = randomFeatures()
    var batch = FeatureBatch(features)
    let result = try store.upsert(&batch, into: id)
    #expect(result.createdCollection == (collections[id] == nil))
    let (stored, inserted, updated) = apply(features, to: id)
    #expect(batch.plain == stored)
    #expect(result.inserted == inserted && result.updated == updated)
    #expect(result.info.version == version && result.info.id == id)
  }

  mutating func importBatches(into id: String, of store: SQLiteStore) throws {
    let parts = (0..<Int.random(in: 0...4, using: &random)).map { _ in randomFeatures() }
    try store.beginImport(into: id)
    var totals = (inserted: 0, updated: 0)
    for part in parts {
      var batch = FeatureBatch(part)
      let (inserted, updated) = try store.importBatch(&batch)
      totals = (totals.inserted + inserted, totals.updated + updated)
    }
    if Bool.random(using: &random) {
      store.rollbackImport()
      // Its version is not given again.
      version += 1
      return
    }
    let info = try store.commitImport()
    // Features without ids get theirs last, so they are as if they stood in one body.
    let (_, inserted, updated) = apply(parts.flatMap(\.self), to: id)
    #expect(totals.inserted == inserted && totals.updated == updated)
    #expect(info.version == version && info.largestInteger == collections[id]?.largest)
  }

  /// Several writes in one transaction, some of them undone, and sometimes all.
  mutating func transaction(of store: SQLiteStore) throws {
    struct Undone: Error {}
    let before = self
    let fails = Int.random(in: 0..<4, using: &random) == 0
    do {
      try store.transaction {
        for _ in 0..<Int.random(in: 0...6, using: &random) {
          let kept = self
          let undoes = Int.random(in: 0..<3, using: &random) == 0
          do {
            try store.savepoint {
              try write(to: store)
              if undoes { throw Undone() }
            }
          } catch is Undone {
            collections = kept.collections
          }
        }
        if fails { throw Undone() }
      }
    } catch is Undone {
      collections = before.collections
    }
  }

  private mutating func write(to store: SQLiteStore) throws {
    let collection = ["a", "b", "C-_9"].randomElement(using: &random) ?? "a"
    switch Int.random(in: 0..<8, using: &random) {
    case 0...3: try upsert(into: collection, of: store)
    case 4, 5: try delete(from: collection, of: store)
    case 6: try put(collection, in: store)
    default: try drop(collection, of: store)
    }
  }

  mutating func delete(from id: String, of store: SQLiteStore) throws {
    let feature = collections[id]?.features.keys.sorted().randomElement(using: &random)
    let victim = Bool.random(using: &random) ? feature ?? randomID() : randomID()
    let info = try store.delete(victim, from: id)
    #expect((info != nil) == (collections[id]?.features[victim] != nil))
    guard info != nil else { return }
    version += 1
    collections[id]?.features[victim] = nil
    collections[id]?.version = version
    #expect(info?.version == version)
  }

  mutating func put(_ id: String, in store: SQLiteStore) throws {
    let updates: [ValueUpdate<String>] = [.keep, .clear, .set(""), .set("Füße \0 😀")]
    let title = updates.randomElement(using: &random) ?? .keep
    let description = updates.randomElement(using: &random) ?? .keep
    let (_, created) = try store.putCollection(id, title: title, description: description)
    #expect(created == (collections[id] == nil))
    version += 1
    var collection = collections[id] ?? Collection()
    Model.apply(title, to: &collection.title)
    Model.apply(description, to: &collection.description)
    collection.version = version
    collections[id] = collection
  }

  private static func apply(_ update: ValueUpdate<String>, to text: inout String?) {
    switch update {
    case .keep: break
    case .clear: text = nil
    case .set(let new): text = new
    }
  }

  mutating func drop(_ id: String, of store: SQLiteStore) throws {
    let dropped = try store.dropCollection(id)
    if version % 3 > 0 { _ = try store.clearDropped(atMost: Int(version % 3) * 20) }
    guard collections.removeValue(forKey: id) != nil else {
      #expect(dropped == nil)
      return
    }
    version += 1
    #expect(dropped == version)
  }

  func check(_ store: SQLiteStore, _ comment: Comment) throws {
    let infos = try store.collections()
    #expect(infos.map(\.id) == collections.keys.sorted(), comment)
    for info in infos {
      let collection = try #require(collections[info.id])
      #expect(info.title == collection.title && info.description == collection.description, comment)
      #expect(info.version == collection.version, comment)
      #expect(info.largestInteger == collection.largest, comment)
      #expect(info.featureCount == collection.features.count, comment)
      let expected = collection.features.sorted { $0.key < $1.key }.map(\.value)
      #expect(try store.features(of: info.id) == expected, comment)
    }
  }

  /// Upserts into the model: the features with their ids, and the counts.
  private mutating func apply(_ features: [Plain], to id: String) -> ([Plain], Int, Int) {
    version += 1
    var collection = collections[id] ?? Collection()
    for case .integer(let value)? in features.map(\.id?.key) {
      collection.largest = max(collection.largest, value)
    }
    var stored: [Plain] = []
    var inserted = 0
    for var feature in features {
      if feature.id == nil {
        collection.largest += 1
        feature.id = .int(collection.largest)
      }
      if let id = feature.id {
        // A new key each time: an equal id may be written in another form.
        if collection.features.removeValue(forKey: id) == nil { inserted += 1 }
        collection.features[id] = feature
      }
      stored.append(feature)
    }
    collection.version = version
    collections[id] = collection
    return (stored, inserted, features.count - inserted)
  }

  private mutating func randomFeatures() -> [Plain] {
    (0..<Int.random(in: 0...40, using: &random)).map { _ in
      let id = Int.random(in: 0..<4, using: &random) == 0 ? nil : randomID()
      let further = (0..<([0, 0, 0, 0, 1, 1, 3, 255].randomElement(using: &random) ?? 0)).map { _ in
        randomDouble { $0.isFinite }
      }
      let longitude = randomDouble { $0.magnitude <= 180 }
      let latitude = randomDouble { $0.magnitude <= 90 }
      // Some on a page with others, some across several pages.
      let repetitions = [0, 1, 1, 2, 2, 3, 3, 900].randomElement(using: &random) ?? 0
      let text = String(repeating: #"ä\u0000😀"#, count: repetitions)
      var feature = Plain(id, [longitude, latitude] + further, #"{"name":"\#(text)"}"#)
      if Int.random(in: 0..<4, using: &random) == 0 {
        let end = FeatureRecord.expiryRange.upperBound
        feature.expires = Int64.random(in: end / 2...end, using: &random)
      }
      return feature
    }
  }

  private mutating func randomID() -> FeatureID {
    let number = Int64.random(in: -20...20, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return .int(number)
    case 1: return .text(String(number))
    case 2: return .int([1 << 40, -9_007_199_254_740_991].randomElement(using: &random) ?? 0)
    case 3:
      // Canonically equivalent texts, prefixes of each other, numbers that aren't canonical.
      let texts = [
        "é", "e\u{301}", "Å", "A\u{30A}", "Å", "\u{10FFFF}", "\u{FFFD}", "abcdefgh", "abcdefghi",
        "abcdefgz", "a", "A", "007", "1.0", "1e3", "-0", "x'00'", "'; --", " ",
        String(repeating: "\u{10000}", count: 256), ".", "..",
      ]
      return .text(texts.randomElement(using: &random) ?? "x")
    default: return .text("id \(number)")
    }
  }

  private mutating func randomDouble(_ accept: (Double) -> Bool) -> Double {
    let special: [Double] = [
      0, -0.0, 90, -90, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, 2.2250738585072014e-308,
      13, 0.1, 89.99999999999999,
    ]
    if Bool.random(using: &random) { return special.randomElement(using: &random) ?? 0 }
    while true {
      let value = Double(bitPattern: random.next())
      if accept(value) { return value }
    }
  }
}
