import TestSupport
import Testing

@testable import ClusterCore

/// What an index remembers of filters and groups.
@Suite(.timeLimit(.minutes(5))) struct ScopeCacheTests {
  private func index(_ count: Int = 100) throws -> FeatureIndex {
    try FeatureIndex.of(
      (0..<count).map { TwinFeature($0, Double($0 % 90), 0, "{\"a\":\($0 % 3)}") })
  }

  private func passing(_ expression: FilterExpression, _ index: FeatureIndex) -> FeatureFilter {
    let column = index.column(named: [97], decoder: TestDecoder())
    return FeatureFilter(expression) { _ in column }
  }

  @Test func `an index that remembers scopes goes when nobody needs it`() throws {
    weak var gone: FeatureIndex?
    do {
      let index = try index()
      gone = index
      let filter = passing(.comparison(.property([97]), .equal, .number(1)), index)
      let scope = FeatureScope(index, passing: filter, near: nil)
      #expect(scope.count == 33 && index.remembers(filter: filter.expression, groupBy: nil))
      let keys = index.keyColumn(named: [97], decoder: TestDecoder())
      let viewport = try Viewport(
        rect: WebMercator.world, scale: .zoom(0), cellSize: 60, marginFactor: 0)
      var request = ClusterRequest(viewport, settings: ClusterSettings(), limit: 10_000)
      request.grouping = Grouping(property: [97], keys: keys)
      #expect(try FeatureScope(index).clusters(request).layers.count == 3)
      #expect(index.remembers(filter: nil, groupBy: [97]))
    }
    #expect(gone == nil)
  }

  @Test func `a remembered scope is the one that was made`() throws {
    let index = try index()
    let filter = passing(.comparison(.property([97]), .less, .number(2)), index)
    let first = FeatureScope(index, passing: filter, near: nil)
    let second = FeatureScope(index, passing: filter, near: nil)
    #expect(first.points === second.points && second.index === index)
    #expect(index.places.map(first.scopeOrdinal) == index.places.map(second.scopeOrdinal))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `what is remembered of a changed collection is what a fresh one makes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var index = try FeatureIndex.of(
      generator.propertyFeatures(300), blockCapacity: generator.pick([5, 20, 1024]))
    let filters = (0..<3).map { _ in generator.expression(depth: 2) }
    let world = try TwinRequest(
      .bbox(west: -180, south: -85, east: 180, north: 85), .zoom(3)
    ).viewport()
    for _ in 0..<60 {
      if generator.chance(0.3) {
        let ids = (0..<5).map { _ in FeatureID(known: generator.int(0...350)) }
        index = try index.applying(.remove(ids))
      } else {
        let batch = (0..<generator.pick([1, 2, 9])).map { _ in
          generator.propertyFeature(id: generator.int(0...350))
        }
        index = try index.applying(.upsert(FeatureBatch(batch)))
      }
      // Each is asked for now and then, so that several changes may lie between.
      for filter in filters where generator.chance(0.5) {
        let fresh = try FeatureIndex.of(index.places.map { index.feature(at: $0) })
        #expect(ids(filter, index) == ids(filter, fresh))
        guard generator.chance(0.5) else { continue }
        let groups = try clusters(world, filter, groupBy: "p", index)
        #expect(try groups == clusters(world, filter, groupBy: "p", fresh))
      }
    }
  }

  private func named(_ expression: FilterExpression, _ index: FeatureIndex) -> FeatureFilter {
    FeatureFilter(expression) { index.testColumn(String(decoding: $0, as: UTF8.self)) }
  }

  private func ids(_ filter: FilterExpression, _ index: FeatureIndex) -> [FeatureID] {
    let scope = FeatureScope(index, passing: named(filter, index), near: nil)
    let places = scope.places(in: nil, offset: 0, limit: .max)
    #expect(places.allSatisfy { scope.scopeOrdinal($0).map(scope.collectionOrdinal) == $0 })
    return places.map { index.record(at: $0).id }
  }

  /// Groups, cells, counts and first features.
  private func clusters(
    _ view: Viewport, _ filter: FilterExpression, groupBy name: String, _ index: FeatureIndex
  ) throws -> [String] {
    var request = ClusterRequest(view, settings: ClusterSettings(), limit: 10_000)
    let property = Array(name.utf8)
    request.grouping = Grouping(
      property: property, keys: index.keyColumn(named: property, decoder: TestDecoder()))
    let scope = FeatureScope(index, passing: named(filter, index), near: request)
    let result = try scope.clusters(request)
    return result.annotations.map { annotation in
      var ids: [FeatureID] = []
      result.forEachFeature(of: annotation) {
        ids.append(index.record(at: $0).id)
        return true
      }
      let group = result.layer(of: annotation).group?.key ?? [45]
      let name = String(decoding: group, as: UTF8.self)
      return "\(name) \(annotation.place) \(annotation.coordinate) \(ids)"
    }
  }

  @Test func `groups keep their keys when ranks change`() throws {
    func features(_ values: [String]) -> [TwinFeature] {
      (0..<90).map { TwinFeature($0, Double($0), 0, "{\"a\":\"\(values[$0 % values.count])\"}") }
    }
    var index = try FeatureIndex.of(features(["a", "b", "c"]))
    _ = index.keyColumn(named: [97], decoder: TestDecoder())
    for feature in features(["b", "b", "c"]) {
      index = try index.applying(.upsert(FeatureBatch([feature])))
    }
    var request = ClusterRequest(
      try Viewport(rect: WebMercator.world, scale: .zoom(0), cellSize: 256, marginFactor: 0),
      settings: ClusterSettings(), limit: 10_000)
    // The keys as they were carried along, which know of one that is no more, and as they are.
    let column = index.testColumn("a")
    let carried = index.keyColumn(named: [97], decoder: TestDecoder())
    for keys in [carried, KeyColumn(column), carried] {
      request.grouping = Grouping(property: [97], keys: keys)
      let result = try FeatureScope(index).clusters(request)
      let groups = result.annotations.map { result.layer(of: $0).group?.key }
      #expect(groups == [[98], [99]] && result.annotations.map(\.count) == [60, 30])
    }
  }

  @Test func `long filters and names are forgotten for their length`() throws {
    let cache = ScopeCache(capacity: 1 << 17)
    let numbers = (0..<500).map { FilterExpression.Operand.number(Double($0)) }
    func name(_ number: Int) -> ScopeName {
      ScopeName(filter: .inList(.property([UInt8(number)]), numbers))
    }
    for number in 0..<20 {
      _ = cache.remembered(name(number)) { _ in ScopeCache.Parts(serials: [], all: []) }
    }
    let known = (0..<20).filter { cache.has(name($0)) }
    #expect((1..<10).contains(known.count) && known.last == 19)

    let columns = ColumnCache(featureCount: 0)  // 64 MiB
    let index = try index(1)
    for number in 0..<9 {
      let name = [UInt8](repeating: UInt8(number), count: 10 << 20)
      _ = columns.column(ColumnCache.Key(name: name)) {
        .values(index.column(named: [98], decoder: TestDecoder()), TestDecoder())
      }
    }
    #expect(columns.byteCount <= 64 << 20)
  }
}
