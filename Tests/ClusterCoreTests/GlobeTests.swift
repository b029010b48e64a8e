import Glibc
import TestSupport
import Testing

@testable import ClusterCore

/// Distances on the globe, what is within one, and what is nearest, against brute force.
@Suite(.timeLimit(.minutes(5))) struct GlobeTests {
  @Test func `distances are those between vectors`() {
    var generator = SeededGenerator(seed: 801)
    let places = TwinGlobe.places(400, using: &generator)
    for a in places {
      let distance = GlobeDistance(from: a)
      #expect(distance.metres(to: a) == 0)
      for b in places {
        let metres = distance.metres(to: b)
        #expect((metres - TwinGlobe.metres(a, b)).magnitude < 1e-6, "\(a) \(b)")
        #expect(metres == GlobeDistance(from: b).metres(to: a))
        #expect(metres <= GlobeDistance.longest)
        #expect(
          (metres + distance.opposite.metres(to: b) - GlobeDistance.longest).magnitude < 1e-6)
      }
    }
  }

  @Test func `places that are one, and places that are opposite`() {
    func metres(_ a: (Double, Double), _ b: (Double, Double)) -> Double {
      GlobeDistance(from: Coordinate(latitude: a.0, longitude: a.1))
        .metres(to: Coordinate(latitude: b.0, longitude: b.1))
    }
    #expect(metres((90, 7), (90, -120)) == 0 && metres((-90, 0), (-90, 180)) == 0)
    #expect(metres((12, 180), (12, -180)) == 0)
    #expect(metres((0, 0), (0, 180)) == GlobeDistance.longest)
    #expect(metres((30, 20), (-30, -160)) == GlobeDistance.longest)
    #expect(metres((90, 20), (-90, -3)) == GlobeDistance.longest)
    // A degree of the meridian, and a nanodegree of it beside the other side of the Earth.
    let degree = GlobeDistance.longest / 180
    #expect((metres((0, 0), (1, 0)) - degree).magnitude < 1e-8)
    #expect((metres((0, 179.5), (0, -179.5)) - degree).magnitude < 1e-6)
    #expect(
      (GlobeDistance.longest - metres((0, 0), (1e-6, 180)) - 1e-6 * degree).magnitude < 1e-8)
  }

  @Test func `bounds of rectangles hold for each of their places, and are tight`() {
    var generator = SeededGenerator(seed: 802)
    var loose = 0
    let origins = TwinGlobe.places(60, using: &generator)
    for origin in origins {
      let distance = GlobeDistance(from: origin)
      for _ in 0..<60 {
        let corner = TwinGlobe.places(1, using: &generator)[0]
        let size = exp(generator.double(-14...5))
        let (west, south) = (corner.longitude, corner.latitude)
        let rectangle = GeoBounds(
          west: west, south: south, east: min(west + size * generator.double(0...1), 180),
          north: min(south + size * generator.double(0...1), 90))
        let least = distance.least(to: rectangle)
        let greatest = GlobeDistance.longest - distance.opposite.least(to: rectangle)
        var (nearest, farthest) = (Double.infinity, 0.0)
        for i in 0...20 {
          for j in 0...20 {
            let place = Coordinate(
              latitude: min(
                rectangle.south + (rectangle.north - rectangle.south) * Double(i) / 20,
                rectangle.north),
              longitude: min(
                rectangle.west + (rectangle.east - rectangle.west) * Double(j) / 20,
                rectangle.east))
            let metres = distance.metres(to: place)
            (nearest, farthest) = (min(nearest, metres), max(farthest, metres))
          }
        }
        #expect(least <= nearest && farthest <= greatest, "\(origin) \(rectangle)")
        // Samples are no farther from the nearest place than half of the way between them.
        let step = size / 20 * GlobeDistance.longest / 180 + 1e-5
        if nearest - least > step || greatest - farthest > step { loose += 1 }
      }
    }
    #expect(loose == 0)
  }

  private func collection(
    _ places: [Coordinate]
  ) throws -> (IndexedCollection, FeatureIndex, [Int]) {
    let features = places.enumerated().map {
      TwinFeature(id: FeatureID(known: $0.offset), coordinate: $0.element, properties: "{}")
    }
    let index = try FeatureIndex.of(features)
    var ordinals: [Int] = []
    index.points.forEachRun { ordinals += $0 }
    return (IndexedCollection(index), index, ordinals)
  }

  @Test(arguments: 803...810 as ClosedRange<UInt64>)
  func `the nearest are those that a look at all finds`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let count = generator.pick([0, 1, 2, 40, 900, 3000])
    let (collection, index, all) = try collection(TwinGlobe.places(count, using: &generator))
    let scope = FeatureScope(collection)
    for _ in 0..<60 {
      let origin = GlobeDistance(from: TwinGlobe.places(1, using: &generator)[0])
      let limit = generator.pick([0, 1, 2, 10, 300, 10_000])
      var region: DegreesRegion?
      if generator.chance(0.4) {
        let south = generator.double(-90...80)
        region = try DegreesRegion(
          west: generator.double(-180...180), south: south, east: generator.double(-180...180),
          north: generator.double(south...90))
      }
      let wanted = all.map { (origin.metres(to: index.points.coordinate(at: $0)), $0) }
        .filter { region?.contains(index.points.coordinate(at: $0.1)) ?? true }.sorted { $0 < $1 }
        .prefix(limit).map(\.1)
      #expect(scope.ordinals(in: region, nearestTo: origin, limit: limit) == wanted)
    }
  }

  @Test(arguments: 811...820 as ClosedRange<UInt64>)
  func `discs hold what is no farther away, also together and negated`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let places = TwinGlobe.places(generator.pick([1, 60, 1200]), using: &generator)
    let (collection, index, all) = try collection(places)
    for _ in 0..<40 {
      let discs = (0..<generator.int(1...3)).map { _ in
        let centre =
          generator.chance(0.3)
          ? generator.pick(places) : TwinGlobe.places(1, using: &generator)[0]
        return (
          centre, TwinGlobe.radius(around: centre, apartFrom: places, using: &generator),
          isNegated: generator.chance(0.3)
        )
      }
      let isAnd = generator.chance(0.6)
      let parts = try discs.map { centre, metres, isNegated in
        let shape = FilterExpression.shape(
          try Shape([.disc(GlobeDisc(around: centre, metres: metres))]))
        return isNegated ? .not(shape) : shape
      }
      let filter = FeatureFilter(isAnd ? .and(parts) : .or(parts), of: index) { _ in
        preconditionFailure("a disc needs no column")
      }
      let wanted = all.filter { ordinal in
        let place = index.points.coordinate(at: ordinal)
        let truths = discs.map { (TwinGlobe.metres($0.0, place) <= $0.1 + 1e-6) != $0.isNegated }
        return isAnd ? !truths.contains(false) : truths.contains(true)
      }
      #expect(all.filter(filter.passes) == wanted, "\(discs)")
      for region in [nil, try DegreesRegion(west: 100, south: -80, east: -90, north: 90)] {
        let scope = FeatureScope(collection, passing: filter, near: region)
        let inside = wanted.filter { region?.contains(index.points.coordinate(at: $0)) ?? true }
        #expect(scope.ordinals(in: region, offset: 0, limit: .max) == inside, "\(discs)")
      }
    }
  }
}
