import TestSupport
import Testing

@testable import ClusterCore

/// Changes, one after the other, against an index that is built from scratch.
@Suite(.timeLimit(.minutes(5))) struct ChangeTests {
  @Test(arguments: [61, 62, 63, 64] as [UInt64])
  func `changes come to what a rebuilt index holds`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var model: [FeatureID: TwinFeature] = [:]
    var index = FeatureIndex(blockCapacity: [4, 7, 30, 1024][Int(seed % 4)])
    let pool = Dataset.mixed.features(seed: seed, count: 500)
    for step in 0..<60 {
      let before = index.ids
      let earlier = index
      if generator.chance(0.35) {
        let id = generator.chance(0.8) ? generator.pick(pool).id : FeatureID(known: -5)
        index = try index.applying(.remove([id]))
        model[id] = nil
      } else {
        let batch = batch(from: pool, using: &generator)
        index = try index.applying(.upsert(FeatureBatch(batch)))
        for feature in batch { model[feature.id] = feature }
      }
      #expect(earlier.ids == before, "a snapshot changed under its reader")
      if step % 10 == 9 { try expect(index, holds: model) }
    }
    try expect(index, holds: model)
  }

  @Test(arguments: [65, 66, 67] as [UInt64])
  func `many changes at once come to what they come to in turn`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let pool = Dataset.mixed.features(seed: seed, count: 60)
    var model: [FeatureID: TwinFeature] = [:]
    var index = FeatureIndex()
    for _ in 0..<40 {
      var coordinates: Set<Coordinate> = []
      var changed: Set<FeatureID> = []
      let before = model
      let changes = (0..<generator.int(0...8)).map { _ in
        guard generator.chance(0.4) else {
          let batch = batch(from: pool, using: &generator)
          for feature in batch { model[feature.id] = feature }
          changed.formUnion(batch.map(\.id))
          return FeatureChange.upsert(FeatureBatch(batch))
        }
        let ids = (0..<generator.int(0...9)).map { _ in generator.pick(pool).id }
        for id in ids { model[id] = nil }
        changed.formUnion(ids)
        return FeatureChange.remove(ids)
      }
      for id in changed {
        coordinates.formUnion([before[id], model[id]].compactMap { $0?.coordinate })
      }
      let result = try index.applying(changes)
      index = result.index
      // Whoever watches a coordinate hears of all that came and went.
      #expect(Set(result.invalidated).isSuperset(of: coordinates))
      #expect(
        !coordinates.isEmpty || changed.contains { model[$0] != nil } || result.invalidated.isEmpty)
      try expect(index, holds: model)
    }
  }

  /// Some features, moved and renamed; now and then the same id twice.
  private func batch(
    from pool: [TwinFeature], using generator: inout SeededGenerator
  ) -> [TwinFeature] {
    (0..<generator.pick([0, 1, 1, 2, 40])).map { _ in
      var feature = generator.pick(generator.chance(0.3) ? pool[..<3] : pool[...])
      if generator.chance(0.5) { feature.coordinate = generator.pick(pool).coordinate }
      if generator.chance(0.5) { feature.properties = "{\"n\":\(generator.int(0...999_999))}" }
      if case .integer(let value) = feature.id.key, generator.chance(0.3) {
        feature.id = FeatureID(known: String(value))
      }
      return feature
    }
  }

  private func expect(
    _ index: FeatureIndex, holds model: [FeatureID: TwinFeature]
  ) throws {
    #expect(index.violations() == [])
    let rebuilt = Twin.indexOrder(Array(model.values))
    #expect(index.ordinals.map { index.feature(at: $0) } == rebuilt)
    // The form in which an id was written is no part of its equality.
    for ordinal in index.ordinals {
      let id = index.record(at: ordinal).id
      #expect(model[id]?.id.isWrittenAsText == id.isWrittenAsText)
    }
  }

  @Test func `of one id in a batch the last counts`() throws {
    let features = (0..<200).map {
      TwinFeature($0 % 7, Double($0 % 50), Double($0 % 40), "{\"n\":\($0)}")
    }
    let index = try FeatureIndex.of(features)
    #expect(index.violations() == [])
    let texts = (0..<7).map { id in
      index.ordinal(of: FeatureID(known: id)).map { index.feature(at: $0) }
    }
    #expect(texts == (0..<7).map { id in features.last { $0.id == FeatureID(known: id) } })
  }

  @Test(arguments: [(1 << 20) - 40, (1 << 20) - 32, 1 << 20, (1 << 20) + 1, 3 << 20])
  func `records around and past the size of a chunk come back whole`(size: Int) throws {
    var generator = SeededGenerator(seed: UInt64(size))
    var index = FeatureIndex()
    var model: [FeatureID: TwinFeature] = [:]
    for round in 0..<6 {
      let batch = (0..<3).map { i in
        let length = i == 1 ? size - 8 : generator.int(1...4000)
        let text = String(repeating: Character(Unicode.Scalar(UInt8(97 + round))), count: length)
        return TwinFeature(generator.int(1...6) * 10 + i, 1, 1, "{\"t\":\"\(text)\"}")
      }
      index = try index.applying(.upsert(FeatureBatch(batch)))
      for feature in batch { model[feature.id] = feature }
    }
    try expect(index, holds: model)
  }

  @Test func `dead records are given back`() throws {
    let count = 64
    let text = String(repeating: "x", count: 30_000)
    var index = FeatureIndex()
    var (largestDead, shrank) = (0, false)
    var last: [TwinFeature] = []
    for round in 0..<24 {
      last = (0..<count).map {
        TwinFeature($0, Double($0), 10, "{\"r\":\(round),\"t\":\"\(text)\"}")
      }
      let before = index.records
      index = try index.applying(.upsert(FeatureBatch(last)))
      largestDead = max(largestDead, index.records.deadBytes)
      if index.records.byteCount < before.byteCount { shrank = true }
    }
    // 24 rounds of 1.9 MB are 46 MB; at most 16 MiB of them may lie dead.
    #expect(largestDead > 10 << 20 && largestDead <= 16 << 20)
    #expect(shrank)
    #expect(index.records.byteCount < 24 << 20)
    try expect(index, holds: Dictionary(uniqueKeysWithValues: last.map { ($0.id, $0) }))
    for feature in last { index = try index.applying(.remove([feature.id])) }
    #expect(index.count == 0 && index.records.liveBytes == 0)
  }

  @Test func `a builder of batches in id order makes the same index`() throws {
    let features = Dataset.mixed.features(seed: 65).sorted { $0.id < $1.id }
    var builder = FeatureIndexBuilder()
    for start in stride(from: 0, to: features.count, by: 97) {
      try builder.append(FeatureBatch(features[start..<min(start + 97, features.count)]))
    }
    let index = builder.build()
    #expect(index.violations() == [])
    #expect(index.ids == Twin.indexOrder(features).map(\.id))
  }
}
