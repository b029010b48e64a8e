import TestSupport
import Testing

@testable import ClusterCore

/// Pins and lists of features against the brute-force twin.
@Suite(.timeLimit(.minutes(5))) struct PinTwinTests {
  @Test(arguments: Dataset.allCases, Seeds.each(41...42))
  func `pins stand where the formula puts them`(data: Dataset, seed: UInt64) throws {
    let features = data.features(seed: seed)
    let (index, twin) = (try FeatureIndex.of(features), Twin(features))
    var generator = SeededGenerator(seed: seed)
    for round in 0..<40 {
      let request = TwinRequest.random(over: twin, using: &generator)
      let (margin, distance) = (request.marginFactor, request.distanceFromContestedLocation)
      let limit = generator.pick([1, 100, 1000, 10_000])
      let comment: Comment = "round \(round): \(request.json.text)"
      let got = Outcome {
        try FeatureScope(index).ordinals(
          in: MapRegion(request.rect.mapRect().grown(by: margin)), limit: limit)
      }
      let wanted = try? twin.pins(
        request.rect, marginFactor: margin, distance: distance, limit: limit)
      guard case .answer(let ordinals) = got else {
        #expect(wanted == nil, comment)
        continue
      }
      let pins = try #require(wanted, comment)
      #expect(ordinals.map { index.record(at: $0).id } == pins.map(\.feature.id), comment)
      var pinLayout = PinLayout(FeatureScope(index), PinSpread(distance: distance))
      for (ordinal, pin) in zip(ordinals, pins) {
        let (coordinate, contested) = pinLayout.pin(at: ordinal)
        #expect(contested == pin.contested)
        let tolerance = contested == 1 ? 0 : 1e-8
        #expect(coordinate.isNear(pin.coordinate, within: tolerance), comment)
        #expect(coordinate.longitude < 180 || contested == 1 || distance == 0)
      }
    }
  }

  @Test func `spreading in any order gives the same coordinates and moves nothing`() throws {
    var generator = SeededGenerator(seed: 43)
    let index = try FeatureIndex.of(Dataset.mixed.features(seed: 43))
    let stored = index.ordinals.map { index.coordinate(at: $0) }
    var pinLayout = PinLayout(FeatureScope(index), PinSpread(distance: 50))
    let inOrder = index.ordinals.map { pinLayout.pin(at: $0).coordinate }
    for (number, ordinal) in index.ordinals.enumerated().shuffled(using: &generator) {
      #expect(pinLayout.pin(at: ordinal).coordinate == inOrder[number])
      #expect(index.coordinate(at: ordinal).isIdentical(to: stored[number]))
    }
  }

  @Test(arguments: Dataset.allCases, Seeds.each(51...52))
  func `lists by bbox are those of the twin`(data: Dataset, seed: UInt64) throws {
    let features = data.features(seed: seed)
    let (index, twin) = (try FeatureIndex.of(features), Twin(features))
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      // Edges that features lie on, as often as not.
      func edge(_ path: KeyPath<Coordinate, Double>, _ range: ClosedRange<Double>) -> Double {
        generator.chance(0.5)
          ? generator.pick(features).coordinate[keyPath: path] : generator.double(range)
      }
      var (west, east) = (edge(\.longitude, -180...180), edge(\.longitude, -180...180))
      if generator.chance(0.15) {
        (west, east) = generator.pick([(-180, 180), (0, 360), (-200, -170)])
      }
      let (a, b) = (edge(\.latitude, -90...90), edge(\.latitude, -90...90))
      let (south, north) = (min(a, b), generator.chance(0.2) ? 90 : max(a, b))
      let wanted = twin.items(west: west, south: south, east: east, north: north).map(\.id)
      let region = try DegreesRegion(west: west, south: south, east: east, north: north)
      let comment: Comment = "\(west),\(south),\(east),\(north)"
      #expect(FeatureScope(index).count(in: region) == wanted.count, comment)
      let (offset, limit) = (generator.pick([0, 0, 1, 40]), generator.pick([1, 10, 10_000]))
      let page = FeatureScope(index).ordinals(in: region, offset: offset, limit: limit)
      #expect(
        page.map { index.record(at: $0).id } == Array(wanted.dropFirst(offset).prefix(limit)),
        comment)
    }
  }

  @Test func `the data's own bbox holds all but its eastern and northern edge`() throws {
    // Coordinates are doubles throughout: nothing of the box is lost to rounding.
    let features = Dataset.uniform.features(seed: 53)
    let index = try FeatureIndex.of(features)
    let bounds = try #require(index.bounds)
    let box = try DegreesRegion(
      west: bounds.west, south: bounds.south, east: bounds.east, north: bounds.north)
    #expect(FeatureScope(index).count(in: box) == features.count - 2)
    let wider = try DegreesRegion(
      west: bounds.west, south: bounds.south, east: bounds.east.nextUp, north: bounds.north.nextUp)
    #expect(FeatureScope(index).count(in: wider) == features.count)
  }
}
