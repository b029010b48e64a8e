import Glibc
import TestSupport
import Testing

@testable import ClusterCore

/// The ways in which features that pass a filter are found, at the edges between them, and that it is the same features.
@Suite(.timeLimit(.minutes(5))) struct FilterPlanTests {
  private let everywhere = AnyRegion(EverywhereRegion())

  private func filter(_ expression: FilterExpression, _ collection: IndexedCollection)
    -> FeatureFilter
  {
    FeatureFilter(expression, of: collection.index) { collection.testColumn($0) }
  }

  private func plan(
    _ expression: FilterExpression?, _ collection: IndexedCollection, near region: AnyRegion? = nil,
    isSummedUp: Bool = false, byCell: Bool = false
  ) -> FilterPlan {
    FilterPlan(
      expression.map { filter($0, collection) }, of: collection, near: region ?? everywhere,
      isSummedUp: isSummedUp, byCell: byCell)
  }

  /// Features on a line from west to east, of which every third has 1 for `a`.
  private func line(_ count: Int) throws -> IndexedCollection {
    try IndexedCollection.of(
      (0..<count).map {
        TwinFeature($0, Double($0) * 300 / Double(count) - 150, 0, "{\"a\":\($0 % 3)}")
      })
  }

  private let isOne = FilterExpression.comparison(.property([97]), .equal, .number(1))

  private func bbox(_ west: Double, _ east: Double) throws -> DegreesRegion {
    try DegreesRegion(west: west, south: -10, east: east, north: 10)
  }

  private func square(_ west: Double, _ east: Double) throws -> FilterExpression {
    let corners = [(west, -9.0), (east, -9), (east, 9), (west, 9), (west, -9)]
    return .shape(
      try Shape([.polygon([corners.map { Coordinate(latitude: $1, longitude: $0) }])]))
  }

  @Test func `sizes decide, and exactly at the edge it is the smaller way`() {
    func select(_ nearby: Double, of whole: Double, _ hasConditions: Bool) -> FilterPlan {
      .selecting(nearby, of: whole, hasConditions: hasConditions)
    }
    #expect(select(25, of: 100, true) == .selectedNearby)
    #expect(select(25.1, of: 100, true) == .selectedFromAll)
    #expect(select(0, of: 0, true) == .selectedNearby)
    // Blocks within shapes are shared, so that there it takes fewer to select from all.
    #expect(select(20_000, of: 1e6, false) == .selectedNearby)
    #expect(select(20_001, of: 1e6, false) == .selectedFromAll)
    #expect(select(20_001, of: 1e6, true) == .selectedNearby)
    #expect(FilterPlan.following(16 << 10, of: 0) == .followed)
    #expect(FilterPlan.following(16 << 10 + 1, of: 0) == .selectedFromAll)
    #expect(FilterPlan.following(16 << 10 + 250, of: 1000) == .followed)
    #expect(FilterPlan.following(16 << 10 + 251, of: 1000) == .selectedFromAll)
    #expect(FilterPlan.following(16 << 10 + 250, of: 1003) == .followed)
    #expect(FilterPlan.following(16 << 10 + 251, of: 1003) == .selectedFromAll)
  }

  @Test func `a view of a collection is planned by what is asked and what is remembered`() throws {
    let collection = try line(400)
    #expect(plan(nil, collection) == .everything)
    #expect(plan(.literal(true), collection, isSummedUp: true) == .everything)
    #expect(plan(.literal(false), collection) == .selectedFromAll)
    let ids = FilterExpression.isOne(of: [FeatureID(known: 3), FeatureID(known: 4)])
    #expect(plan(ids, collection) == .listed)
    #expect(plan(.and([isOne, ids]), collection, isSummedUp: true) == .listed)
    #expect(plan(.or([isOne, ids]), collection) == .selectedFromAll)
    // A hundred of 400 features, and one more. 0.75 degrees lie between two of them.
    let quarter = AnyRegion(try bbox(-150.1, -150.1 + 75))
    let more = AnyRegion(try bbox(-150.1, -149.9 + 75))
    #expect(collection.index.points.countFeatures(in: quarter) == 100)
    #expect(collection.index.points.countFeatures(in: more) == 101)
    #expect(plan(isOne, collection, near: quarter) == .selectedNearby)
    #expect(plan(isOne, collection, near: more) == .selectedFromAll)
    #expect(plan(isOne, collection, near: more, isSummedUp: true) == .addedUp(keepingBits: false))
    // The same of those in a shape.
    let shape = FilterExpression.and([isOne, try square(-150.1, -0.1)])
    #expect(plan(shape, collection, near: quarter) == .selectedFromAll)
    let less = AnyRegion(try bbox(-150.1, -112.7))
    #expect(collection.index.points.countFeatures(in: less) == 50)
    #expect(plan(shape, collection, near: less) == .selectedNearby)
    // What is remembered is told before anything else is counted.
    _ = FeatureScope(collection, passing: filter(isOne, collection), nearAny: more)
    for isSummedUp in [false, true] {
      #expect(plan(isOne, collection, near: quarter, isSummedUp: isSummedUp) == .remembered)
    }
    let later = try collection.applying(.remove([FeatureID(known: 7)]))
    #expect(plan(isOne, later, near: quarter) == .remembered)
  }

  @Test func `bits are kept of large views with conditions`() throws {
    let collection = try line(100_001)
    #expect(plan(isOne, collection, isSummedUp: true) == .addedUp(keepingBits: true))
    let shape = try square(-170, 170)
    #expect(plan(shape, collection, isSummedUp: true) == .addedUp(keepingBits: false))
    #expect(plan(shape, collection) == .selectedFromAll)
    let one = try collection.applying(.remove([FeatureID(known: 7)]))
    #expect(plan(isOne, one, isSummedUp: true) == .addedUp(keepingBits: false))
  }

  @Test func `shapes of many corners aren't compared with one cell after the other`() throws {
    let collection = try line(400)
    for count in [999, 1000, 1001] {
      var corners = (0..<count).map { number in
        let angle = Double(number) / Double(count) * 2 * .pi
        return Coordinate(latitude: 9 * sin(angle), longitude: 9 * cos(angle))
      }
      corners.append(corners[0])
      let shape = try Shape([.polygon([corners])])
      let filter = FilterExpression.shape(shape)
      #expect(plan(filter, collection, isSummedUp: true) == .addedUp(keepingBits: false))
      let byCell = plan(filter, collection, isSummedUp: true, byCell: true)
      #expect(
        byCell == (shape.cornerCount <= 1000 ? .addedUp(keepingBits: false) : .selectedFromAll))
      #expect(shape.cornerCount == count || shape.cornerCount == count + 1)
    }
  }

  @Test(arguments: Seeds.each(1...4))
  func `each way finds the same features`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let collection = try IndexedCollection(
      FeatureIndex.of(
        generator.propertyFeatures(400), blockCapacity: generator.pick([5, 20, 1024])))
    let index = collection.index
    for _ in 0..<40 {
      var parts = [generator.expression(depth: 2)]
      if generator.chance(0.5) { parts.append(.shape(generator.shape())) }
      if generator.chance(0.3) {
        // Two lists of ids, of which only those in both can pass.
        for _ in 0..<generator.int(1...2) {
          parts.append(
            .isOne(of: (0..<200).map { _ in FeatureID(known: generator.int(0...420)) }))
        }
      }
      let filter = filter(.and(parts), collection)
      let west = generator.double(-180...100)
      let region = AnyRegion(try bbox(west, west + generator.double(1...80)))
      let wanted = index.ordinals.filter { ordinal in
        filter.passes(ordinal) && region.contains(ordinal, in: index.points.pointers)
      }
      var ways: [FilterPlan] = [.listed, .selectedNearby]
      if filter.ids == nil { ways += [.selectedFromAll, .remembered] }
      for way in ways {
        let scope = FeatureScope(collection, passing: filter, nearAny: region, by: way)
        let found = scope.ordinals(inAny: region, offset: 0, limit: .max)
        #expect(found == wanted, "\(way) \(parts)")
      }
      guard filter.ids == nil else { continue }
      for keepsBits in [false, true, true] {
        let scope = FeatureScope(
          collection, passing: filter, nearAny: region, by: .addedUp(keepingBits: keepsBits))
        let part = try #require(scope.region)
        #expect(
          index.points.countFeatures(in: IntersectionRegion(a: region, b: part)) == wanted.count)
      }
    }
  }
}
