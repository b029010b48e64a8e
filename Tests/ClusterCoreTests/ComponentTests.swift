import TestSupport
import Testing

@testable import ClusterCore

/// The distance method against looking at every pair.
@Suite(.timeLimit(.minutes(5))) struct ComponentTests {
  @Test(arguments: Dataset.allCases)
  func `components are those of the definition`(data: Dataset) throws {
    let points = try PointIndex.of(data.features(seed: 51, count: 350))
    var twin = MethodTwin(points)
    var generator = SeededGenerator(seed: 51)
    for round in 0..<14 {
      let radius = twin.length(using: &generator)
      let kept = round % 3 == 0 ? generator.int(1...60) : 0
      twin.keptApart = Set((0..<kept).map { _ in generator.int(0...points.count - 1) })
      let clusterer = ComponentClusterer(
        points: points, radius: radius, keptApart: OrdinalSet(twin.keptApart))
      let found = try clusterer.run()
      let wanted = twin.components(radius: radius)
      #expect(found.ordinals == wanted, "radius \(radius), apart \(twin.keptApart.count)")
      #expect(found.all.map(\.first) == wanted.map { $0[0] })
      #expect(found.all.map(\.sum) == wanted.map(twin.sum))
      #expect(try clusterer.isOneComponent() == (wanted.count <= 1))
      for (component, ordinals) in zip(found.all, wanted) {
        let ranges = Array(found.ranges(of: component))
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        let extent = found.extent(of: component, in: points)
        #expect(twin.isExtent(extent, of: ordinals), "\(extent)")
      }
    }
  }

  @Test(arguments: Dataset.allCases)
  func `a feature is alone as the definition has it`(data: Dataset) throws {
    let points = try PointIndex.of(data.features(seed: 52, count: 200))
    var twin = MethodTwin(points)
    var generator = SeededGenerator(seed: 52)
    for round in 0..<150 {
      let radius = twin.length(using: &generator)
      twin.keptApart = round % 4 == 0 ? [generator.int(0...points.count - 1)] : []
      let ordinal = generator.int(0...points.count - 1)
      if twin.keptApart.contains(ordinal) { continue }
      let wanted = (0..<points.count).contains { twin.isLinked(ordinal, $0, within: radius) }
      let found = ComponentClusterer(
        points: points, radius: radius, keptApart: OrdinalSet(twin.keptApart)
      ).isLinked(ordinal)
      #expect(found == wanted, "ordinal \(ordinal), radius \(radius)")
    }
  }

  @Test func `what is exactly a radius apart is linked, a hair less is not`() throws {
    // Sixteenths of the world are exact in map points: a chain right around the equator.
    let chain = (0..<16).map { Coordinate(latitude: 0, longitude: Double($0) * 22.5 - 180) }
    let points = try PointIndex.of(chain)
    let radius = WebMercator.worldSize / 16
    #expect(try ComponentClusterer(points: points, radius: radius).run().ordinals.count == 1)
    let less = try ComponentClusterer(points: points, radius: radius.nextDown).run()
    #expect(less.ordinals.count == 16)
    // One link fewer leaves a chain over the antimeridian, with its gap elsewhere.
    let open = try PointIndex.of(chain.filter { $0.longitude != 45 })
    let found = try ComponentClusterer(points: open, radius: radius).run()
    let extent = found.extent(of: found.all[0], in: open)
    #expect(found.all.count == 1)
    #expect(extent.bounds == GeoBounds(west: 67.5, south: 0, east: 22.5, north: 0))
    #expect(extent.mean.isNear(Coordinate(latitude: 0, longitude: -135), within: 1e-7))
  }

  @Test func `crowds cost what their borders do`() throws {
    var generator = SeededGenerator(seed: 53)
    let stones = [Coordinate](repeating: Coordinate(latitude: 1, longitude: 2), count: 20_000)
    let crowd = (0..<20_000).map { _ in
      Coordinate(latitude: generator.double(0...1), longitude: generator.double(179...180))
    }
    for (coordinates, radius) in [(stones, 1e-3), (stones, 1e9), (crowd, 1e6), (crowd, 1e5)] {
      let points = try PointIndex.of(coordinates)
      let found = try ComponentClusterer(points: points, radius: radius, work: 50_000).run()
      #expect(found.ordinals.count == 1)
    }
    // Two crowds just out of reach of each other.
    let others = crowd.map { Coordinate(latitude: $0.latitude, longitude: -$0.longitude + 2) }
    let apart = try PointIndex.of(crowd + others)
    let radius = WebMercator.worldSize / 360 * 0.99
    let found = try ComponentClusterer(points: apart, radius: radius, work: 20_000_000).run()
    #expect(found.ordinals.count <= 2)
  }

  @Test func `too much work and too many components are refused`() throws {
    // A feature's distance to all of an arc around it takes the coordinates to tell.
    let center = (0..<1500).map { i in
      MapPoint(x: 1e8 + Double(i % 40) / 1e6, y: 1e8 + Double(i / 40) / 1e6)
    }
    let arc = (0..<1500).map { i -> MapPoint in
      let angle = Double(i) / 1500
      let scale = 1e6 / (1 + angle * angle)
      return MapPoint(x: 1e8 + scale * (1 - angle * angle), y: 1e8 + scale * 2 * angle)
    }
    let points = try PointIndex.of(
      (center + arc).map {
        Coordinate(
          latitude: WebMercator.latitude(y: $0.y), longitude: WebMercator.longitude(x: $0.x))
      })
    #expect(throws: MethodLimit.work) {
      try ComponentClusterer(points: points, radius: 1e6 - 1e-3, work: 1_000_000).run()
    }
    let wanted = MethodTwin(points).components(radius: 100).count
    #expect(throws: MethodLimit.annotations(wanted)) {
      try ComponentClusterer(points: points, radius: 100, limit: wanted - 1).run()
    }
    let found = try ComponentClusterer(points: points, radius: 100, limit: wanted).run()
    #expect(found.ordinals.count == wanted)
  }

  @Test func `what is kept apart links nothing, not even a whole node of it`() throws {
    // Three crowds in a row, of which neighbours are in reach of each other.
    let crowds = (0..<3).map { crowd in
      (0..<60).map { i in
        Coordinate(latitude: Double(i) * 1e-7, longitude: 1 + Double(crowd) * 0.9e-3)
      }
    }
    let points = try PointIndex.of(crowds.flatMap(\.self))
    let radius = WebMercator.worldSize / 360 * 1e-3
    #expect(try ComponentClusterer(points: points, radius: radius).isOneComponent())
    let middle = Set(crowds[1])
    var twin = MethodTwin(points)
    twin.keptApart = Set((0..<180).filter { middle.contains(points.coordinate(at: $0)) })
    let found = try ComponentClusterer(
      points: points, radius: radius, keptApart: OrdinalSet(twin.keptApart)
    ).run()
    #expect(found.ordinals.count == 62)
    #expect(found.ordinals == twin.components(radius: radius))
  }

  @Test func `many coordinates within one position are told apart`() throws {
    var generator = SeededGenerator(seed: 54)
    let coordinates = (0..<400).map { _ in
      // Steps of a position's thirtieth, some of them the same.
      let (x, y) = (generator.int(0...30), generator.int(0...30))
      return Coordinate(latitude: Double(y) * 2.8e-9, longitude: 1 + Double(x) * 2.8e-9)
    }
    let points = try PointIndex.of(coordinates)
    let twin = MethodTwin(points)
    for parts in [1024, 512, 450, 300, 100, 16] as [Double] {
      let radius = 1 / parts
      let found = try ComponentClusterer(points: points, radius: radius).run()
      #expect(found.ordinals == twin.components(radius: radius), "radius \(radius)")
    }
  }

  @Test(arguments: Dataset.allCases)
  func `a component comes apart at the zoom of the definition`(data: Dataset) throws {
    let points = try PointIndex.of(data.features(seed: 55, count: 120))
    let epsilon = 30.0
    let zoom = 2.5
    let radius = epsilon * WebMercator.mapPointsPerPoint(zoom: zoom)
    for ordinals in MethodTwin(points).components(radius: radius).prefix(12) {
      let own = try PointIndex.of(ordinals.map { points.coordinate(at: $0) })
      let twin = MethodTwin(own)
      let wanted = (3...24).first {
        let radius = epsilon * 268_435_456 / (256 * Double(1 << $0))
        return twin.components(radius: radius).count > 1
      }
      #expect(try ExpansionZoom.ofComponent(own, epsilon: epsilon, above: zoom) == wanted)
    }
  }

  @Test func `nothing comes to nothing`() throws {
    let points = try PointIndex.of([Coordinate]())
    #expect(try ComponentClusterer(points: points, radius: 1).run().ordinals.isEmpty)
    #expect(try ComponentClusterer(points: points, radius: 1).isOneComponent())
    let found = try CollisionClusterer(points: points, width: 1, height: 1).run()
    #expect(found.all.isEmpty && found.hiddenCount == 0)
    #expect(ExpansionZoom.first(above: 24) { _ in true } == nil)
    #expect(ExpansionZoom.first(above: 30) { _ in true } == nil)
    #expect(ExpansionZoom.first(above: 23.999) { _ in true } == 24)
    #expect(ExpansionZoom.first(above: -10) { _ in true } == 0)
  }
}

extension Components {
  /// Calls `body` with the ordinals of a component in index order, until it returns false.
  fileprivate func forEachOrdinal(of component: Component, _ body: (Int) -> Bool) {
    for range in ranges(of: component) {
      for ordinal in range where !body(ordinal) { return }
    }
  }

  /// The ordinals of each component.
  fileprivate var ordinals: [[Int]] {
    all.map { component in
      var ordinals: [Int] = []
      forEachOrdinal(of: component) {
        ordinals.append($0)
        return true
      }
      return ordinals
    }
  }
}
