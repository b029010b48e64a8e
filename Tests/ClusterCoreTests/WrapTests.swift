import TestSupport
import Testing

@testable import ClusterCore

/// The world has no edge in the west or east, and no view changes a cell.
@Suite(.timeLimit(.minutes(5))) struct WrapTests {
  private let world = WebMercator.worldSize

  /// Longitudes on a lattice whose halves of the world are the same to the last bit.
  private func features(
    _ count: Int, using generator: inout SeededGenerator
  ) -> [TwinFeature] {
    (0..<count).map { i in
      let about = generator.pick([0.0, 90, 179.5, -179.75])
      let longitude = about + (generator.bell() * 8 * 64).rounded() / 64
      let folded =
        longitude >= 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
      return TwinFeature(i + 1, folded, (generator.bell() * 20 * 64).rounded() / 64)
    }
  }

  private func counts(_ index: FeatureIndex, _ request: TwinRequest) throws -> [Int] {
    try index.clusters(in: request.viewport(), settings: request.settings, limit: 10_000)
      .annotations.map(\.count).sorted()
  }

  @Test(arguments: Seeds.each(91...93))
  func `data and view moved by half a world give the same clusters`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let here = features(800, using: &generator)
    let there = here.map { feature -> TwinFeature in
      let longitude = feature.coordinate.longitude
      return TwinFeature(
        id: feature.id,
        coordinate: Coordinate(
          latitude: feature.coordinate.latitude,
          longitude: longitude < 0 ? longitude + 180 : longitude - 180))
    }
    let (first, second) = (try FeatureIndex.of(here), try FeatureIndex.of(there))
    for _ in 0..<40 {
      let size = world / Double(generator.pick([2, 8, 64, 1024]))
      let x = generator.pick([-1, 0, 0.25, 0.5, 0.75, 0.9]) * world - size / 2
      var request = TwinRequest(
        .mapRect(x: x, y: world * 0.3, width: size, height: world * 0.4),
        .zoom(Double(generator.int(2...7))))
      // An even number of cells, so that half a world is whole cells.
      request.cellSize = 64
      let wanted = try counts(first, request)
      request.rect = .mapRect(x: x + world / 2, y: world * 0.3, width: size, height: world * 0.4)
      #expect(try counts(second, request) == wanted)
    }
  }

  @Test(arguments: Seeds.each(94...95))
  func `a view moved by whole worlds is the same view`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let index = try FeatureIndex.of(features(800, using: &generator))
    for _ in 0..<40 {
      let size = world / Double(1 << generator.int(0...10))
      let x = Double(generator.int(-64...64)) / 64 * world
      let make = { (turns: Double) -> TwinRequest in
        TwinRequest(
          .mapRect(x: x + turns * world, y: 0, width: size, height: world), .zoom(6))
      }
      let base = try make(0).viewport()
      let wanted = try index.clusters(in: base, settings: ClusterSettings(), limit: 10_000)
      for turns in [-3.0, -1, 1, 2, 1000] {
        let moved = try make(turns).viewport()
        #expect(moved.cells.mapRect == base.cells.mapRect)
        let got = try index.clusters(in: moved, settings: ClusterSettings(), limit: 10_000)
        #expect(got.annotations.map(\.key) == wanted.annotations.map(\.key))
        #expect(got.featureCount == wanted.featureCount)
      }
    }
  }

  @Test func `points on either side of 180 degrees are in one cell of a coarse view`() throws {
    // The cells meet at the antimeridian: 180 and −180 are one meridian, and a view across it
    // shows both sides.
    let index = try FeatureIndex.of([
      TwinFeature(1, 180, 10), TwinFeature(2, -180, 10), TwinFeature(3, -179.999, 10),
      TwinFeature(4, 179.999, 10),
    ])
    let request = TwinRequest(.bbox(west: 179, south: 9, east: -179, north: 11), .zoom(3))
    #expect(try counts(index, request) == [1, 3])
    let beyond = TwinRequest(.bbox(west: 179, south: 9, east: 181, north: 11), .zoom(3))
    #expect(try counts(index, beyond) == [1, 3])
    // The strip west of 180° W, named by a negative x.
    let strip = TwinRequest(.mapRect(x: -100_000, y: 0, width: 99_000, height: world), .zoom(3))
    var narrow = strip
    narrow.marginFactor = 0
    #expect(try counts(index, narrow) == [1])
  }

  @Test(arguments: Dataset.allCases)
  func `panning never changes a cell's annotation`(data: Dataset) throws {
    let index = try FeatureIndex.of(data.features(seed: 96))
    var generator = SeededGenerator(seed: 96)
    var seen: [AnnotationID: String] = [:]
    var met = 0
    for _ in 0..<80 {
      // The same size of rect everywhere: the scale is rounded, so that the grid stays.
      let width = world / 8
      let x = generator.double(-1...1) * world
      var request = TwinRequest(
        .mapRect(x: x, y: generator.double(0...0.8) * world, width: width, height: width / 2),
        .viewportWidth(390))
      request.marginFactor = generator.pick([0, 0.5, 1])
      let viewport = try request.viewport()
      let result = try index.clusters(
        in: viewport, settings: ClusterSettings(), limit: 10_000)
      for one in result.annotations {
        let id = result.layer(of: one).id(of: one, in: index)
        let text =
          "\(one.count) \(one.coordinate) \(one.bounds) \(one.isUniqueLocation) \(one.first)"
        if let before = seen.updateValue(text, forKey: id) {
          met += 1
          #expect(before == text)
        }
      }
    }
    #expect(met > 5)
  }
}
