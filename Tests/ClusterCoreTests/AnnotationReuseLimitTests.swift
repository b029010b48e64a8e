import TestSupport
import Testing
import Threading

@testable import ClusterCore

/// Earlier annotations that mean harm: each is a candidate for each of a view's.
@Suite(.timeLimit(.minutes(5))) struct AnnotationReuseLimitTests {
  /// Two features of each of some groups at a coordinate, clustered apart.
  private struct View {
    let scope: FeatureScope
    let grouping: Grouping
    var result: ClusterResult

    init(groups: Int) throws {
      let collection = try IndexedCollection.of(
        (0..<2 * groups).map { TwinFeature($0, 5, 5, "{\"a\":\($0 / 2),\"b\":\($0 % 2)}") })
      scope = FeatureScope(collection)
      let keys = collection.keyColumn(named: [97], decoder: TestDecoder())
      grouping = Grouping(property: [97], keys: keys)
      let viewport = try Viewport(
        rect: WebMercator.world, scale: .zoom(0), cellSize: 60, marginFactor: 0)
      var request = ClusterRequest(viewport, settings: ClusterSettings(), limit: 10_000)
      request.grouping = grouping
      result = try scope.clusters(request)
    }

    /// Settles the view with some earlier annotations, all of them where its clusters are, and says
    /// how often the values of a property were asked for.
    mutating func settle(
      _ count: Int, work: Int? = nil, _ id: (Int) -> String
    ) throws -> (removed: Int, asked: Int) {
      let asked = Locked(0)
      let collection = scope.collection
      var reuse = AnnotationReuse(
        (0..<count).map {
          PreviousAnnotation(id: id($0), coordinate: Coordinate(latitude: 5, longitude: 5))
        }, in: scope, grouping: grouping,
        keys: { name in
          asked.withLock { $0 += 1 }
          guard let property = name.wholeProperty else { return nil }
          return (property, collection.keyColumn(named: property, decoder: TestDecoder()))
        })
      if let work { reuse.budget = WorkBudget(work) }
      try reuse.apply(to: &result)
      return (reuse.removed.count, asked.value)
    }
  }

  @Test func `what holds features elsewhere is not looked up`() throws {
    var view = try View(groups: 200)
    // A thousandth of what 200·500 looks would cost.
    #expect(try view.settle(500, work: 2_000_000) { "g\($0 + 200)_60_0_0" }.removed == 500)
  }

  @Test func `the first that holds all is taken without a look at the others`() throws {
    var view = try View(groups: 200)
    #expect(try view.settle(500, work: 1_000_000) { "g4_\($0 + 61)_2_1" }.removed == 300)
    #expect(view.result.annotations.map(\.reuses) == Array(0..<200))
  }

  @Test func `the values of a property are asked for once`() throws {
    var view = try View(groups: 20)
    let found = try view.settle(100) { "g4_\($0 + 61)_2_1~pYg.kMQ" }
    #expect(found == (80, 1))
  }

  @Test func `what takes too long is refused`() throws {
    for id in ["~pYg.kMg", "~pY2Nj.kMQ"] {
      var view = try View(groups: 50)
      #expect(throws: ImpossibleRequest.self) {
        // Every other property is read out of all features: 10,000 units here.
        _ = try view.settle(500, work: 5000) { "g4_\($0 + 61)_2_1\(id)" }
      }
    }
    var view = try View(groups: 50)
    #expect(throws: ImpossibleRequest.self) {
      _ = try view.settle(2000, work: 10_000) { "g\($0 + 200)_60_0_0" }
    }
  }
}
