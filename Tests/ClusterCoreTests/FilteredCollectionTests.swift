import TestSupport
import Testing

@testable import ClusterCore

/// The features of a collection that pass a filter, as a collection of their own.
@Suite(.timeLimit(.minutes(5))) struct FilteredCollectionTests {
  /// A feature of which `a` is 0 or 1, and which may be long.
  private func feature(
    _ id: Int, _ a: Int, _ length: Int = 0, using generator: inout SeededGenerator
  ) -> TwinFeature {
    let rest = String(repeating: "x", count: length)
    return TwinFeature(
      id, generator.double(-180...180), generator.double(-80...80),
      "{\"a\":\(a),\"b\":\(generator.int(0...9)),\"c\":\"\(rest)\"}")
  }

  private func filter(_ collection: IndexedCollection) -> FeatureFilter {
    FeatureFilter(.comparison(.property([97]), .equal, .number(1)), of: collection.index) {
      collection.testColumn($0)
    }
  }

  /// Compares with an index of what passes.
  private func expectExact(_ filtered: FilteredCollection, of whole: IndexedCollection) throws {
    let index = filtered.collection.index
    // The records are the whole collection's.
    #expect(index.violations().filter { !$0.hasSuffix("live bytes") } == [])
    let all = whole.index.ordinals.map { whole.index.feature(at: $0) }
    let passing = all.filter { $0.property("a")?.int == 1 }
    #expect(index.ordinals.map { index.feature(at: $0) } == passing)
    for feature in passing.prefix(50) { #expect(index.ordinal(of: feature.id) != nil) }
    let other = all.first { $0.property("a")?.int == 0 }
    if let other { #expect(index.ordinal(of: other.id) == nil) }
    #expect(filtered.plan(to: whole.index) == .remembered)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `it follows any change, and tells only of its own`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let count = generator.pick([0, 40, 3000])
    var whole = try IndexedCollection(
      FeatureIndex.of(
        (0..<count).map { feature($0, $0 % 2, using: &generator) },
        blockCapacity: generator.pick([5, 20, 1024])))
    var filtered = try FilteredCollection(of: whole, passing: filter)
    try expectExact(filtered, of: whole)
    for step in 0..<40 {
      // Odd ids change between those that pass and those that don't; even ids never pass.
      let ids = (0..<generator.pick([1, 1, 5, 200])).map { _ in generator.int(0...4000) }
      let touches = generator.chance(0.5)
      let chosen = touches ? ids : ids.map { $0 / 2 * 2 }
      let change: FeatureChange =
        generator.chance(0.3)
        ? .remove(chosen.map { FeatureID(known: $0) })
        : .upsert(
          FeatureBatch(
            Set(chosen).sorted().map {
              feature($0, $0 % 2 == 1 && generator.chance(0.7) ? 1 : 0, using: &generator)
            }))
      let before = filtered
      whole = try whole.applying(change)
      // Now and then several changes are taken up at once.
      if generator.chance(0.3) { continue }
      let next = try filtered.following(whole, passing: filter)
      filtered = next.filtered
      try expectExact(filtered, of: whole)
      let isSame =
        before.collection.index.ordinals.map { before.collection.index.feature(at: $0) }
        == filtered.collection.index.ordinals.map { filtered.collection.index.feature(at: $0) }
      if next.invalidated.isEmpty { #expect(isSame, "seed \(seed), step \(step)") }
      if !touches, before.plan(to: whole.index) == .remembered { #expect(next.invalidated.isEmpty) }
    }
  }

  @Test func `records that move and blocks that all change leave what is the same`() throws {
    var generator = SeededGenerator(seed: 9)
    let own = (0..<500).map { feature($0, 1, using: &generator) }
    var whole = try IndexedCollection.of(own)
    var filtered = try FilteredCollection(of: whole, passing: filter)
    let first = whole.index.ordinals.map { whole.index.feature(at: $0) }
    // Many and long ones that don't pass, again and again, until the records are copied to another place.
    for round in 0..<3 {
      let records = whole.index.records
      whole = try whole.applying(
        .upsert(
          FeatureBatch((1000..<5400).map { feature($0, 0, 4000, using: &generator) })))
      if round == 2 { #expect(!records.isOneGrowing(with: whole.index.records)) }
      let next = try filtered.following(whole, passing: filter)
      #expect(next.invalidated.isEmpty)
      filtered = next.filtered
      #expect(
        filtered.collection.index.ordinals.map { filtered.collection.index.feature(at: $0) }
          == first)
    }
    // As many that pass are something else.
    whole = try whole.applying(
      .upsert(FeatureBatch((1000..<21_000).map { feature($0, 1, using: &generator) })))
    let next = try filtered.following(whole, passing: filter)
    // As often as there are features that weren't there before.
    #expect(next.invalidated.count == 20_000)
    #expect(next.filtered.collection.index.count == 20_500)
  }

  @Test func `a batch tells which of its features pass`() throws {
    var generator = SeededGenerator(seed: 3)
    let features = (0..<3000).map { feature($0, generator.int(0...1), using: &generator) }
    let passing = try FeatureBatch(features).passing(filter)
    #expect(passing == features.map { $0.property("a")?.int == 1 })
    #expect(try FeatureBatch().passing(filter) == [])
  }
}
