import TestSupport
import Testing

@testable import ClusterCore

/// The collision method against its definition.
@Suite(.timeLimit(.minutes(5))) struct CollisionTests {
  @Test(arguments: Dataset.allCases, Seeds.each(1...2))
  func `boxes and their members are those of the definition`(
    data: Dataset, seed: UInt64
  ) throws {
    let points = try PointIndex.of(data.features(seed: 60 + seed, count: 300))
    var twin = MethodTwin(points)
    var generator = SeededGenerator(seed: 60 + seed)
    for round in 0..<24 {
      let request = random(points, &twin, &generator)
      let found = try request.run()
      let (boxes, hidden) = twin.collisions(request)
      let name = "round \(round), \(request.width) × \(request.height)"
      #expect(found.all.map(\.placed) == boxes.map(\.placed), "\(name)")
      #expect(found.all.map { Array(found.ordinals(of: $0)) } == boxes.map(\.members), "\(name)")
      #expect(found.hiddenCount == hidden, "\(name)")
      for (cluster, box) in zip(found.all, boxes) {
        #expect(cluster.sum == twin.sum(of: box.members))
        let extent = found.extent(of: cluster, in: points)
        #expect(twin.isExtent(extent, of: box.members), "\(extent)")
      }
    }
  }

  private func random(
    _ points: PointIndex, _ twin: inout MethodTwin, _ generator: inout SeededGenerator
  ) -> CollisionClusterer {
    let count = points.count
    let kept = generator.chance(0.3) ? generator.int(1...40) : 0
    twin.keptApart = Set((0..<kept).map { _ in generator.int(0...count - 1) })
    let width = twin.length(using: &generator)
    let height = generator.chance(0.5) ? width : twin.length(using: &generator)
    var request = CollisionClusterer(points: points, width: width, height: height)
    request.keptApart = OrdinalSet(twin.keptApart)
    let choices = [
      [1000], [0, 1000], [1e9, 1000, .infinity, 500, .nan], [-5, -0.0, 0, .nan, 500],
      (0..<50).map { Double($0) * 20.5 },
    ]
    if generator.chance(0.7) {
      let choice = generator.pick(choices)
      request.priorities = (0..<count).map { _ in generator.pick(choice) }
    }
    if generator.chance(0.6) {
      let keys = generator.pick([[0], [0, 1, 7], [1, CollisionClusterer.noKey]] as [[UInt32]])
      request.clusterKeys = (0..<count).map { _ in generator.pick(keys) }
    }
    if generator.chance(0.3) {
      request.groups = (0..<count).map { _ in UInt32(generator.int(0...2)) }
    }
    return request
  }

  @Test func `boxes that touch do not overlap, a hair wider they do`() throws {
    // Exact in map points, right around the world.
    let chain = (0..<16).map { Coordinate(latitude: 0, longitude: Double($0) * 22.5 - 180) }
    let points = try PointIndex.of(chain)
    let width = WebMercator.worldSize / 16
    let touching = try CollisionClusterer(points: points, width: width, height: 1).run()
    #expect(touching.all.count == 16 && touching.hiddenCount == 0)
    let wider = try CollisionClusterer(points: points, width: width.nextUp, height: 1).run()
    #expect(wider.all.count == 8 && wider.hiddenCount == 8)
  }

  @Test func `a pile of required boxes hides what the definition says`() throws {
    var generator = SeededGenerator(seed: 71)
    // More on a diagonal than a bucket lists, and others around them.
    let coordinates = (0..<800).map { i in
      i < 400
        ? Coordinate(latitude: Double(i) * 1e-4, longitude: Double(i) * -1e-4)
        : Coordinate(
          latitude: generator.double(-0.1...0.1), longitude: generator.double(-0.1...0.1))
    }
    let points = try PointIndex.of(coordinates)
    let pile = Set(coordinates.prefix(400).map(\.latitude))
    for size in [10, 1e4, 2e4, 3.3e4, 6e4] {
      var request = CollisionClusterer(points: points, width: size, height: size)
      request.priorities = (0..<800).map {
        pile.contains(points.coordinate(at: $0).latitude) ? 1000 : 500
      }
      let found = try request.run()
      let (boxes, hidden) = MethodTwin(points).collisions(request)
      #expect(found.all.map(\.placed) == boxes.map(\.placed))
      #expect(found.hiddenCount == hidden)
    }
  }

  @Test func `too many boxes and too much work are refused`() throws {
    let points = try PointIndex.of(Dataset.uniform.features(seed: 72, count: 500))
    var request = CollisionClusterer(points: points, width: 1, height: 1)
    request.limit = 499
    #expect(throws: MethodLimit.annotations(500)) { try request.run() }
    request.limit = 500
    #expect(try request.run().all.count == 500)
    request.work = 1000
    #expect(throws: MethodLimit.work) { try request.run() }
  }

  @Test(arguments: Dataset.allCases)
  func `a cluster comes apart at the zoom of the definition`(data: Dataset) throws {
    let points = try PointIndex.of(data.features(seed: 73, count: 150))
    var generator = SeededGenerator(seed: 73)
    let zoom = 1.25
    let scale = WebMercator.mapPointsPerPoint(zoom: zoom)
    var request = CollisionClusterer(points: points, width: 40 * scale, height: 60 * scale)
    request.clusterKeys = [UInt32](repeating: 3, count: points.count)
    request.priorities = (0..<points.count).map { _ in Double(generator.int(0...1000)) }
    let found = try request.run()
    for cluster in found.all {
      let ordinals = Array(found.ordinals(of: cluster))
      // In index order, as they were, hence with the same priorities.
      let selected = WritableArray<UInt32>(count: ordinals.count)
      for (index, ordinal) in ordinals.enumerated() { selected.pointer[index] = UInt32(ordinal) }
      let own = PointIndex(selecting: selected.fixed, of: points)
      let twin = MethodTwin(own)
      let wanted = (2...24).first { zoom in
        let scale = 268_435_456 / (256 * Double(1 << zoom))
        var alone = CollisionClusterer(points: own, width: 40 * scale, height: 60 * scale)
        alone.clusterKeys = ordinals.map { _ in 3 }
        alone.priorities = ordinals.map { request.priorities?[$0] ?? 500 }
        let (boxes, hidden) = twin.collisions(alone)
        return boxes.count + hidden > 1
      }
      let expansion = ExpansionZoom.ofCluster(
        Array(found.ordinals(of: cluster)), placed: cluster.placed, in: points, markerWidth: 40,
        markerHeight: 60, above: zoom)
      #expect(expansion == wanted)
    }
  }

  @Test func `the arc of many longitudes is the shortest`() throws {
    var generator = SeededGenerator(seed: 74)
    for round in 0..<60 {
      // Wide and narrow gaps anywhere; more longitudes than are first tried in buckets.
      let count = generator.pick([1, 2, 3, 10, round == 0 ? 9000 : 300])
      let start = generator.double(-180...180)
      let width = generator.double(0...360)
      let coordinates = (0..<count).map { i in
        let longitude =
          round % 4 == 0
          ? Double(generator.int(-12...12)) * 15 : start + width * Double(i) / Double(count)
        return Coordinate(latitude: generator.double(-90...90), longitude: folded(longitude))
      }
      let points = try PointIndex.of(coordinates)
      let ordinals = Array(0..<points.count)
      let twin = MethodTwin(points)
      let extent = CircularExtent(twin.sum(of: ordinals), of: points, ordinals: ordinals)
      #expect(twin.isExtent(extent, of: ordinals), "\(extent)")
      #expect((-180..<180).contains(extent.mean.longitude))
    }
  }

  private func folded(_ longitude: Double) -> Double {
    longitude > 180 ? longitude - 360 : longitude
  }
}
