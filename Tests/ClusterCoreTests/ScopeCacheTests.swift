import TestSupport
import Testing

@testable import ClusterCore

/// What an index remembers of filters and groups.
struct ScopeCacheTests {
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
    #expect(index.places.map(first.scopePlace) == index.places.map(second.scopePlace))
  }

  @Test func `long filters and names are forgotten for their length`() throws {
    let cache = ScopeCache(capacity: 1 << 17)
    let numbers = (0..<500).map { FilterExpression.Operand.number(Double($0)) }
    func name(_ number: Int) -> ScopeName {
      ScopeName(filter: .inList(.property([UInt8(number)]), numbers))
    }
    for number in 0..<20 { _ = cache.remembered(name(number)) { [] } }
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
