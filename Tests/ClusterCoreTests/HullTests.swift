import TestSupport
import Testing

@testable import ClusterCore

/// The convex hulls of clusters against what defines one.
@Suite(.timeLimit(.minutes(5))) struct HullTests {
  private typealias Point = (x: Int128, y: Int128)

  /// Twice the area of a triangle, positive if it turns to greater y on the way to greater x.
  private static func area(_ a: Point, _ b: Point, _ c: Point) -> Int128 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
  }

  /// The x from which on some features lie on the shortest way around, as in ``TwinArc``.
  private static func cut(_ positions: [Position]) -> UInt32 {
    let xs = Set(positions.map(\.x)).sorted()
    guard let first = xs.first, let last = xs.last else { return 0 }
    var (cut, widest) = (UInt32(0), (1 << 32) - Int(last - first))
    for (a, b) in zip(xs, xs.dropFirst()) where Int(b - a) > widest {
      (cut, widest) = (b, Int(b - a))
    }
    return cut
  }

  /// What is wrong with a hull; empty if it is the one of some features. Whatever is convex, has corners that
  /// are features and holds all of them is their hull.
  private static func faults(_ hull: Hull, of features: [TwinFeature]) -> [String] {
    let positions = features.map { Position($0.coordinate) }
    let cut = cut(positions)
    let own = Dictionary(grouping: Twin.indexOrder(features), by: { Position($0.coordinate) })
    func point(_ position: Position) -> Point {
      (Int128(position.x) + (position.x < cut ? 1 << 32 : 0), Int128(position.y))
    }
    var faults: [String] = []
    let corners = hull.corners.map { corner -> Point in
      let isTurned = corner.longitude >= 180
      let longitude = corner.longitude - (isTurned ? 360 : 0)
      let position = Position(Coordinate(latitude: corner.latitude, longitude: longitude))
      let first = own[position]?.first?.coordinate
      if first?.latitude != corner.latitude
        || first.map({ ($0.foldedLongitude - longitude).magnitude < 1e-12 }) != true
      {
        faults.append("the corner \(corner) is not the first feature of its position")
      }
      if isTurned != (position.x < cut) {
        faults.append("the corner \(corner) is on the other side")
      }
      return point(position)
    }
    let all = Set(positions).map(point)
    switch corners.count {
    case 1: if all.count != 1 { faults.append("a point for \(all.count) positions") }
    case 2:
      let (a, b) = (corners[0], corners[1])
      if all.contains(where: { area(a, b, $0) != 0 }) { faults.append("a line for a surface") }
      if all.contains(where: {
        min(a.x, b.x) > $0.x || max(a.x, b.x) < $0.x || min(a.y, b.y) > $0.y || max(a.y, b.y) < $0.y
      }) {
        faults.append("a feature beyond the line")
      }
    case 3...:
      for index in corners.indices {
        let (a, b) = (corners[index], corners[(index + 1) % corners.count])
        // y runs south, so that the inner side is the one of less y where the way leads east.
        if all.contains(where: { area(a, b, $0) > 0 }) {
          faults.append("a feature beyond edge \(index)")
        }
        if area(a, b, corners[(index + 2) % corners.count]) >= 0 {
          faults.append("no turn at \(index)")
        }
      }
      let first = corners[0]
      if corners.contains(where: { ($0.x, $0.y) < (first.x, first.y) }) {
        faults.append("it does not begin in the west")
      }
    default: faults.append("no corners")
    }
    return faults
  }

  @Test(arguments: Dataset.allCases, Seeds.each(361...362))
  func `hulls of clusters hold all features and no more`(data: Dataset, seed: UInt64) throws {
    let features = data.features(seed: seed, count: 500)
    let (index, twin) = (try FeatureIndex.of(features), Twin(features))
    var generator = SeededGenerator(seed: seed)
    var looked = 0
    for round in 0..<30 {
      var request = TwinRequest.random(over: twin, using: &generator)
      request.limit = 10_000
      if round < 3 {
        request.rect = .bbox(west: -180, south: -90, east: 180, north: 90)
        (request.scale, request.cellSize) = (.zoom(0), [400, 120, 64][round])
        request.maxZoomLevelForClustering = nil
      }
      guard
        let result = try? index.clusters(
          in: request.viewport(), settings: request.settings, limit: 10_000)
      else { continue }
      for annotation in result.annotations.prefix(12) where annotation.isCluster {
        looked += 1
        let held = result.ordinals(of: annotation, offset: 0, limit: .max).map(index.feature(at:))
        let hull = result.hull(of: annotation, in: index)
        #expect(Self.faults(hull, of: held) == [], "round \(round): \(request.json.text)")
      }
    }
    #expect(looked > 3)
  }

  @Test(arguments: [TwinRequest.Method.distance, .collision], Seeds.each(363...364))
  func `hulls without a grid go the shorter way round`(
    method: TwinRequest.Method, seed: UInt64
  ) throws {
    var crossed = 0
    for data in [Dataset.antimeridian, .uniform, .cities] {
      let features = data.features(seed: seed, count: 300).map {
        TwinFeature(id: $0.id, coordinate: $0.coordinate, properties: "{\"k\":1}")
      }
      let collection = try IndexedCollection.of(features)
      let index = collection.index
      let markers = MarkerColumns(clusterKeys: KeyColumn(index.testColumn("k")))
      for zoom in [0.0, 1.5, 4, 7] {
        let request = MethodRequest(
          viewport: try TileViewport(rect: WebMercator.world, scale: .zoom(zoom), marginFactor: 0),
          method: method == .distance
            ? .distance(epsilon: 30) : .collision(MethodRequest.Markers()),
          keepApart: [], limit: 10_000)
        let result = try FeatureScope(collection).clusters(request, markers: markers)
        for annotation in result.annotations where annotation.isCluster {
          let held = result.ordinals(of: annotation, offset: 0, limit: .max).map(index.feature(at:))
          let hull = result.hull(of: annotation, in: index)
          #expect(Self.faults(hull, of: held) == [], "\(data) at \(zoom)")
          if hull.corners.contains(where: { $0.longitude >= 180 }) { crossed += 1 }
        }
      }
    }
    #expect(crossed > 0)
  }

  /// The hull of all features, as that of the only cell of the world.
  private func worldHull(_ index: FeatureIndex) throws -> Hull {
    let viewport = try Viewport(
      rect: WebMercator.world, scale: .zoom(0), cellSize: 300, marginFactor: 0)
    let result = try index.clusters(in: viewport, settings: ClusterSettings(), limit: 10)
    return result.hull(of: try #require(result.annotations.first), in: index)
  }

  @Test(arguments: Seeds.each(365...366))
  func `many features have their hull, however they came`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // In a disc, on a circle, on a lattice, most of them in two places, and all around the world.
    for shape in 0..<5 {
      let features = (0..<6000).map { number -> TwinFeature in
        let angle = generator.double(0...(2 * .pi))
        let radius = shape == 0 ? 20 * generator.double(0...1).squareRoot() : 20
        switch shape {
        case 0, 1:
          return TwinFeature(number, 30 + radius * cosine(angle), 10 + radius * sine(angle))
        case 2: return TwinFeature(number, Double(number % 77), Double(number / 77) / 2)
        case 3:
          return TwinFeature(
            number, generator.pick([-179.5, 178]) + generator.bell() / 9, generator.bell() * 60)
        default:
          return TwinFeature(number, generator.double(-180...180), generator.double(-90...90))
        }
      }
      let index = try FeatureIndex.of(features)
      let hull = try worldHull(index)
      #expect(Self.faults(hull, of: features) == [], "shape \(shape)")
      if shape == 1 { #expect(hull.corners.count > 3000) }
      if shape == 3 { #expect(hull.corners.contains { $0.longitude > 180 }) }
      var one = try FeatureIndex.of(Array(features.shuffled(using: &generator).prefix(3000)))
      for part in stride(from: 0, to: 6000, by: 500) {
        let batch = features[part..<part + 500].shuffled(using: &generator)
        one = try one.applying(.upsert(FeatureBatch(batch)))
      }
      #expect(try worldHull(one) == hull, "shape \(shape)")
    }
  }

  @Test(arguments: Dataset.allCases)
  func `features that come one by one have the hull of all`(data: Dataset) throws {
    let features = data.features(seed: 367, count: 120)
    var generator = SeededGenerator(seed: 367)
    var index = try FeatureIndex.of([])
    for feature in features.shuffled(using: &generator) {
      index = try index.applying(.upsert(FeatureBatch([feature])))
    }
    #expect(try worldHull(index) == worldHull(try FeatureIndex.of(features)))
  }

  private func sine(_ angle: Double) -> Double { cosine(angle - .pi / 2) }

  /// From the half-angle formula, so that no library is needed.
  private func cosine(_ angle: Double) -> Double {
    guard angle.magnitude > 1e-3 else { return 1 - angle * angle / 2 }
    let half = cosine(angle / 2)
    return 2 * half * half - 1
  }

  @Test func `few features are a point or a line`() throws {
    func corners(_ features: [TwinFeature]) throws -> [Coordinate] {
      try worldHull(try FeatureIndex.of(features)).corners
    }
    let stone = Coordinate(latitude: 50, longitude: 180)
    #expect(
      try corners(TwinFeature.coincident(300, at: stone))
        == [Coordinate(latitude: 50, longitude: -180)])
    #expect(try corners([TwinFeature(1, 7, 8)]) == [Coordinate(latitude: 8, longitude: 7)])
    // A meridian, a parallel, and the same across the antimeridian.
    let meridian = (0..<200).map { TwinFeature($0, 20, Double($0 % 50)) }
    #expect(try corners(meridian).map(\.latitude) == [49, 0])
    let parallel = (0..<200).map { TwinFeature($0, Double($0 % 50), 20) }
    #expect(try corners(parallel).map(\.longitude) == [0, 49])
    let across = [TwinFeature(1, 179, 5), TwinFeature(2, -179, 5), TwinFeature(3, 180, 5)]
    #expect(try corners(across).map(\.longitude) == [179, 181])
    // As long either way: the one that doesn't cross.
    #expect(
      try corners([TwinFeature(1, -90, 0), TwinFeature(2, 90, 0)]).map(\.longitude) == [-90, 90])
    // Of several at one position, the first id.
    let near = [TwinFeature(9, 1e-9, 0), TwinFeature(4, 2e-9, 0), TwinFeature(7, 10, 10)]
    #expect(try corners(near).map(\.longitude) == [2e-9, 10])
  }
}
