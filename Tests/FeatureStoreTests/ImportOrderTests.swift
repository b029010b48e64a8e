import ClusterCore
import FeatureStore
import TestSupport
import Testing

/// Imports in every order of ids, against a dictionary: what is stored, what is counted, and the index
/// that the import leaves behind.
@Suite(.timeLimit(.minutes(5))) struct ImportOrderTests {
  /// How the ids of an import come.
  enum Order: CaseIterable {
    case integers, integersThenText, none, integersThenNone, textThenNone, mixed
    case oneTooLow, twice, shuffled
  }

  /// The ids of the features, as they come.
  private func ids(
    _ order: Order, count: Int, _ generator: inout SeededGenerator
  ) -> [FeatureID?] {
    var last: Int64 = -50
    let integers: [FeatureID?] = (0..<count).map { _ in
      last += Int64.random(in: 1...9, using: &generator)
      return .int(last)
    }
    let texts: [FeatureID?] = (0..<count).map { .text("t\(100_000 + $0 * 3)") }
    let half = count / 2
    switch order {
    case .integers: return integers
    case .integersThenText: return Array(integers.prefix(half) + texts.suffix(count - half))
    case .none: return Array(repeating: nil, count: count)
    case .integersThenNone:
      return integers.prefix(half) + Array(repeating: nil, count: count - half)
    case .textThenNone: return texts.prefix(half) + Array(repeating: nil, count: count - half)
    case .mixed: return integers.map { Bool.random(using: &generator) ? $0 : nil }
    case .oneTooLow:
      var ids = integers
      let place = Int.random(in: (count + 1) / 2..<count, using: &generator)
      ids[place] = ids[Int.random(in: 0..<place, using: &generator)]
      return ids
    case .twice: return integers.flatMap { [$0, $0] }
    case .shuffled: return (integers + texts).shuffled(using: &generator)
    }
  }

  @Test(arguments: Order.allCases, [false, true])
  func allIsStoredAndSorted(order: Order, isEmptyBefore: Bool) throws {
    var generator = SeededGenerator(seed: isEmptyBefore ? 5 : 6)
    for count in [2, 31, 33, 700] {
      let directory = try TemporaryDirectory()
      let store = try SQLiteStore(directory: directory.path)
      var model: [FeatureID: Plain] = [:]
      if !isEmptyBefore {
        let before = Plain(.int(40), [1, 2], #"{"n":"before"}"#)
        try store.put([before])
        model[.int(40)] = before
      }
      var features = ids(order, count: count, &generator).enumerated().map { number, id in
        let ordinates = [Double(number * 7 % 360) - 180, Double(number % 170) - 85]
        var feature = Plain(
          id, ordinates + (number % 4 == 0 ? [Double(number)] : []), #"{"n":"ä\#(number)"}"#)
        if number % 11 == 0 { feature.expires = 253_402_300_000_000 }
        return feature
      }

      try store.beginImport(into: "c")
      var counted = (inserted: 0, updated: 0)
      var rest = features[...]
      while !rest.isEmpty {
        var batch = FeatureBatch(Array(rest.prefix(Int.random(in: 1...150, using: &generator))))
        rest = rest.dropFirst(batch.count)
        let counts = try store.importBatch(&batch)
        counted = (counted.inserted + counts.inserted, counted.updated + counts.updated)
      }
      let info = try store.commitImport()

      var updated = 0
      for feature in features {
        guard let id = feature.id else { continue }
        if model.updateValue(feature, forKey: id) != nil { updated += 1 }
      }
      var next = max(0, model.keys.map(Self.integer).max() ?? 0)
      for index in features.indices where features[index].id == nil {
        next += 1
        features[index].id = .int(next)
        model[.int(next)] = features[index]
      }
      let expected = model.sorted { $0.key < $1.key }.map(\.value)
      #expect(counted.updated == updated && counted.inserted == features.count - updated)
      #expect(info.featureCount == expected.count)
      #expect(try store.features(of: "c") == expected)

      try store.storeIndex(of: info)
      store.close()
      let again = try SQLiteStore(directory: directory.path)
      let loaded = try again.loadIndex(of: try #require(try again.collections().first))
      #expect(loaded.changes == 0 && loaded.fault == nil)
      var stored: [Plain] = []
      loaded.index.points.forEachRun { run in
        for place in run { stored.append(Plain(loaded.index.record(at: place))) }
      }
      #expect(stored.sorted { ($0.id ?? .int(0)) < ($1.id ?? .int(0)) } == expected)
      #expect(!directory.names.contains { $0.contains(".runs") })
    }
  }

  private static func integer(_ id: FeatureID) -> Int64 {
    if case .integer(let value) = id.key { value } else { 0 }
  }

  @Test func aWriteAfterTheImportIsInTheIndex() throws {
    let directory = try TemporaryDirectory()
    let store = try SQLiteStore(directory: directory.path)
    try store.beginImport(into: "c")
    var batch = FeatureBatch((1...300).map { Plain(.int($0), [Double($0 % 90), 3]) })
    _ = try store.importBatch(&batch)
    let imported = try store.commitImport()
    try store.put([Plain(.int(7), [5, 5]), Plain(.int(900), [6, 6])])
    let info = try #require(try store.collections().first)
    #expect(info != imported)
    try store.storeIndex(of: info)
    store.close()
    let again = try SQLiteStore(directory: directory.path)
    let loaded = try again.loadIndex(of: try #require(try again.collections().first))
    #expect(loaded.changes == 0 && loaded.fault == nil && loaded.index.count == 301)
  }
}
