import Dispatch
import TestSupport
import Testing
import Threading

@testable import ClusterCore

/// What an index remembers of filters and groups.
@Suite(.timeLimit(.minutes(5))) struct ScopeCacheTests {
  private let budget = MemoryBudget(limit: 1 << 30)

  private func collection(_ count: Int = 100) throws -> IndexedCollection {
    try IndexedCollection.of(
      (0..<count).map { TwinFeature($0, Double($0 % 90), 0, "{\"a\":\($0 % 3)}") })
  }

  private func passing(_ expression: FilterExpression, _ collection: IndexedCollection)
    -> FeatureFilter
  {
    let column = collection.column(ColumnName([97]), decoder: TestDecoder())
    return FeatureFilter(expression, of: collection.index) { _ in column }
  }

  @Test func `an index that remembers scopes goes when nobody needs it`() throws {
    weak var gone: IndexedCollection?
    do {
      let collection = try collection()
      gone = collection
      let filter = passing(.comparison(.property([97]), .equal, .number(1)), collection)
      let scope = FeatureScope(collection, passing: filter, near: nil)
      #expect(
        scope.count == 33 && collection.hasCachedScope(filter: filter.expression, groupBy: nil))
      let keys = collection.keyColumn(named: [97], decoder: TestDecoder())
      let viewport = try Viewport(
        rect: WebMercator.world, scale: .zoom(0), cellSize: 60, marginFactor: 0)
      var request = ClusterRequest(viewport, settings: ClusterSettings(), limit: 10_000)
      request.grouping = Grouping(property: [97], keys: keys)
      #expect(try FeatureScope(collection).clusters(request).layers.count == 3)
      #expect(collection.hasCachedScope(filter: nil, groupBy: [97]))
    }
    #expect(gone == nil)
  }

  @Test func `a remembered scope is the one that was made`() throws {
    let collection = try collection()
    let filter = passing(.comparison(.property([97]), .less, .number(2)), collection)
    let first = FeatureScope(collection, passing: filter, near: nil)
    let second = FeatureScope(collection, passing: filter, near: nil)
    #expect(first.points === second.points && second.collection === collection)
    #expect(
      collection.index.ordinals.map(first.scopeOrdinal)
        == collection.index.ordinals.map(second.scopeOrdinal))
  }

  @Test(arguments: Seeds.each(1...4))
  func `what is remembered of a changed collection is what a fresh one makes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var collection = try IndexedCollection(
      FeatureIndex.of(
        generator.propertyFeatures(300), blockCapacity: generator.pick([5, 20, 1024])))
    var filters = (0..<3).map { _ in generator.expression(depth: 2) }
    filters.append(.shape(generator.shape()))
    filters.append(.and([.not(.shape(generator.shape())), generator.expression(depth: 1)]))
    let world = try TwinRequest(
      .bbox(west: -180, south: -85, east: 180, north: 85), .zoom(3)
    ).viewport()
    for _ in 0..<60 {
      if generator.chance(0.3) {
        let ids = (0..<5).map { _ in FeatureID(known: generator.int(0...350)) }
        collection = try collection.applying(.remove(ids))
      } else {
        let batch = (0..<generator.pick([1, 2, 9])).map { _ in
          generator.propertyFeature(id: generator.int(0...350))
        }
        collection = try collection.applying(.upsert(FeatureBatch(batch)))
      }
      // Each is asked for now and then, so that several changes may lie between.
      for filter in filters where generator.chance(0.5) {
        let fresh = try IndexedCollection.of(
          collection.index.ordinals.map { collection.index.feature(at: $0) })
        #expect(ids(filter, collection) == ids(filter, fresh))
        guard generator.chance(0.5) else { continue }
        let groups = try clusters(world, filter, groupBy: "p", collection)
        #expect(try groups == clusters(world, filter, groupBy: "p", fresh))
      }
    }
  }

  @Test func `whoever has little time doesn't wait for what another builds`() throws {
    let cache = VersionCache<Int, Int>(capacity: CacheCapacity(common: 100), in: budget) { _, _ in 1
    }
    let (begun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let builder = Threads.start {
      let value = cache.value(for: 1) { _ in
        begun.signal()
        gate.wait()
        return 7
      }
      precondition(value == 7)
    }
    begun.wait()
    // The other thread may have to wait for its turn meanwhile, for as long as it likes.
    let value = Cancellation.run(atMost: 60_000_000_000) { cache.value(for: 1) { _ in 8 } }
    #expect(value == nil)
    gate.signal()
    builder.join()
    #expect(Cancellation.run(atMost: 60_000_000_000) { cache.value(for: 1) { _ in 8 } } == 7)
  }

  /// Counts how often it is hashed.
  private struct CountedKey: Hashable, Sendable {
    static let hashes = Locked(0)
    let number: Int
    func hash(into hasher: inout Hasher) {
      CountedKey.hashes.withLock { $0 += 1 }
      hasher.combine(number)
    }
    static func == (one: CountedKey, other: CountedKey) -> Bool { one.number == other.number }
  }

  /// Each write would take as long as reading all filters that clients have sent.
  @Test func `a new version hashes no key`() throws {
    var cache = VersionCache<CountedKey, Int>(
      capacity: CacheCapacity(common: 1000), in: budget, maximumCount: 100
    ) { _, _ in 1 }
    for number in 0..<150 { _ = cache.value(for: CountedKey(number: number)) { _ in number } }
    let before = CountedKey.hashes.withLock { $0 }
    for _ in 0..<9 {
      cache = cache.next(capacity: CacheCapacity(common: 1000)) {
        $0.map { $0.key.number % 2 == 0 ? .stale($0.value) : nil }
      }
    }
    #expect(CountedKey.hashes.withLock { $0 } == before)
    let known = (0..<150).filter { cache.contains(CountedKey(number: $0)) }
    #expect((35...50).contains(known.count) && known.allSatisfy { $0 % 2 == 0 && $0 >= 50 })
    #expect(cache.byteCount == known.count)
    let stale = cache.value(for: CountedKey(number: 148)) { ($0 ?? 0) + 1 }
    #expect(stale == 149)
  }

  @Test func `a build that doesn't end leaves nothing`() throws {
    let cache = VersionCache<Int, Int>(
      capacity: CacheCapacity(common: 100), in: budget, maximumCount: 3
    ) { _, _ in 1 }
    _ = cache.value(for: 0) { _ in 0 }
    struct Failure: Error {}
    for number in 1..<100 {
      #expect(throws: Failure.self) { try cache.value(for: number) { _ in throw Failure() } }
      let value = Cancellation.run(atMost: 60_000_000_000) {
        cache.value(for: -number) { _ in
          #expect(Cancellation.stopIfLimited())
          return 1
        }
      }
      #expect(value == nil)
    }
    // Others' builds would have been forgotten for them.
    _ = cache.value(for: 101) { _ in 5 }
    #expect(cache.contains(0) && cache.contains(101) && cache.byteCount == 2)
  }

  /// Of a shape only the blocks at its border are made anew.
  @Test func `blocks within a shape are shared`() throws {
    let features = (0..<20_000).map { TwinFeature($0, Double($0 % 200) / 4, Double($0 / 200) / 4) }
    let collection = try IndexedCollection.of(features)
    func corner(_ x: Double, _ y: Double) -> Coordinate { Coordinate(latitude: y, longitude: x) }
    let shape = try Shape([
      .polygon([[corner(1, 1), corner(49, 2), corner(48, 24), corner(2, 24), corner(1, 1)]])
    ])
    let scope = FeatureScope(collection, passing: named(.shape(shape), collection), near: nil)
    let index = collection.index
    let blocks = index.blocks.indices.map { number in
      (number, whole: index.blocks[number], part: scope.selection?.block(number))
    }
    #expect(blocks.contains { $0.part?.points === $0.whole.points })
    for (number, whole, part) in blocks {
      let inside = (0..<whole.count).filter {
        shape.contains(index.coordinate(at: number << PointIndex.blockBits + $0))
      }
      #expect((part?.points === whole.points) == (inside.count == whole.count))
      #expect((part?.offsets.buffer.map { Int($0) } ?? []) == inside)
    }
  }

  private func named(_ expression: FilterExpression, _ collection: IndexedCollection)
    -> FeatureFilter
  {
    FeatureFilter(expression, of: collection.index) { collection.testColumn($0) }
  }

  private func ids(_ filter: FilterExpression, _ collection: IndexedCollection) -> [FeatureID] {
    let scope = FeatureScope(collection, passing: named(filter, collection), near: nil)
    let ordinals = scope.ordinals(in: nil, offset: 0, limit: .max)
    #expect(ordinals.allSatisfy { scope.scopeOrdinal($0).map(scope.collectionOrdinal) == $0 })
    return ordinals.map { collection.index.record(at: $0).id }
  }

  /// Groups, cells, counts and first features.
  private func clusters(
    _ viewport: Viewport, _ filter: FilterExpression, groupBy name: String,
    _ collection: IndexedCollection
  ) throws -> [String] {
    var request = ClusterRequest(viewport, settings: ClusterSettings(), limit: 10_000)
    let property = Array(name.utf8)
    request.grouping = Grouping(
      property: property, keys: collection.keyColumn(named: property, decoder: TestDecoder()))
    let scope = FeatureScope(collection, passing: named(filter, collection), near: request)
    let result = try scope.clusters(request)
    return result.annotations.map { annotation in
      var ids: [FeatureID] = []
      result.forEachFeature(of: annotation) {
        ids.append(collection.index.record(at: $0).id)
        return true
      }
      let group = result.layer(of: annotation).group?.key ?? [45]
      let name = String(decoding: group, as: UTF8.self)
      return "\(name) \(annotation.key) \(annotation.coordinate) \(ids)"
    }
  }

  @Test func `groups keep their keys when ranks change`() throws {
    func features(_ values: [String]) -> [TwinFeature] {
      (0..<90).map { TwinFeature($0, Double($0), 0, "{\"a\":\"\(values[$0 % values.count])\"}") }
    }
    var collection = try IndexedCollection.of(features(["a", "b", "c"]))
    _ = collection.keyColumn(named: [97], decoder: TestDecoder())
    for feature in features(["b", "b", "c"]) {
      collection = try collection.applying(.upsert(FeatureBatch([feature])))
    }
    var request = ClusterRequest(
      try Viewport(rect: WebMercator.world, scale: .zoom(0), cellSize: 256, marginFactor: 0),
      settings: ClusterSettings(), limit: 10_000)
    // The keys as they were carried along, which know of one that is no more, and as they are.
    let column = collection.testColumn("a")
    let carried = collection.keyColumn(named: [97], decoder: TestDecoder())
    for keys in [carried, KeyColumn(column), carried] {
      request.grouping = Grouping(property: [97], keys: keys)
      let result = try FeatureScope(collection).clusters(request)
      let groups = result.annotations.map { result.layer(of: $0).group?.key }
      #expect(groups == [[98], [99]] && result.annotations.map(\.count) == [60, 30])
    }
  }

  @Test func `long filters and names are forgotten for their length`() throws {
    let cache = VersionCache<ScopeName, ScopeParts>(
      capacity: CacheCapacity(common: 1 << 17), in: budget
    ) { $1.cost($0) }
    let numbers = (0..<500).map { FilterExpression.Operand.number(Double($0)) }
    func name(_ number: Int) -> ScopeName {
      ScopeName(filter: .inList(.property([UInt8(number)]), numbers))
    }
    for number in 0..<20 {
      _ = cache.value(for: name(number)) { _ in .none }
    }
    let known = (0..<20).filter { cache.contains(name($0)) }
    #expect((1..<10).contains(known.count) && known.last == 19)

    let columns = IndexedCollection().columns  // 1 MiB
    let collection = try collection(1)
    func key(_ number: Int) -> CachedColumn.Key {
      CachedColumn.Key(name: [UInt8](repeating: UInt8(number), count: 160 << 10))
    }
    for number in 0..<9 {
      _ = columns.value(for: key(number)) { _ in
        .values(collection.column(ColumnName([98]), decoder: TestDecoder()), TestDecoder())
      }
    }
    #expect((0..<9).filter { columns.contains(key($0)) } == [3, 4, 5, 6, 7, 8])
  }
}
