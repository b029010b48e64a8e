import TestSupport
import Testing

@testable import ClusterCore

/// The index against sorting everything, and against itself.
@Suite(.timeLimit(.minutes(5))) struct IndexTests {
  @Test(arguments: Dataset.allCases, Seeds.each(1...2))
  func `the order is that of the Z-order curve, then of ids`(data: Dataset, seed: UInt64) throws {
    let features = data.features(seed: seed)
    let index = try FeatureIndex.of(features)
    #expect(index.violations() == [])
    #expect(index.ids == Twin.indexOrder(features).map(\.id))
  }

  @Test func `the order does not depend on the order of arrival`() throws {
    var generator = SeededGenerator(seed: 3)
    let features = Dataset.mixed.features(seed: 3)
    let ids = try FeatureIndex.of(features).ids
    for _ in 0..<3 {
      #expect(try FeatureIndex.of(features.shuffled(using: &generator)).ids == ids)
    }
  }

  @Test(arguments: Dataset.allCases)
  func `every id finds its feature and no other id finds any`(data: Dataset) throws {
    let features = data.features(seed: 4)
    let index = try FeatureIndex.of(features)
    for feature in features {
      let ordinal = try #require(index.ordinal(of: feature.id))
      #expect(index.feature(at: ordinal) == feature)
    }
    let known = Set(features.map(\.id))
    let others =
      ["stone-", "stone-2\u{301}", "zzz", "~"].map { FeatureID(known: $0) }
      + [-1, 0, 9_007_199_254_740_991, 999_999].map { FeatureID(known: $0) }
    for id in others where !known.contains(id) { #expect(index.ordinal(of: id) == nil) }
  }

  @Test func `an empty index answers like one`() throws {
    let index = FeatureIndex()
    #expect(index.violations() == [])
    #expect(index.bounds == nil)
    #expect(
      FeatureScope(index).count(in: nil) == 0
        && FeatureScope(index).ordinals(in: nil, offset: 0, limit: 9) == [])
    #expect(index.ordinal(of: FeatureID(known: 1)) == nil)
    let viewport = try TwinRequest(
      .bbox(west: -180, south: -90, east: 180, north: 90), .zoom(3)
    ).viewport()
    let result = try index.clusters(in: viewport, settings: ClusterSettings(), limit: 1)
    #expect(result.annotations.isEmpty && result.featureCount == 0)
    #expect(FeatureScope(index).countsByCell(viewport.cells).isEmpty)
  }

  @Test func `text ids are ordered by their UTF-8 and equal only byte by byte`() throws {
    // Precomposed and decomposed é are different ids; Swift's strings would make them one.
    let texts = ["é", "e\u{301}", "z", "\u{FFFF}", "\u{10000}", "e"]
    let features = texts.map {
      TwinFeature(id: FeatureID(known: $0), coordinate: Coordinate(latitude: 1, longitude: 1))
    }
    let index = try FeatureIndex.of(features)
    #expect(index.count == texts.count)
    let sorted = texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    #expect(index.ids.map { Array($0.description.utf8) } == sorted.map { Array($0.utf8) })
  }

  @Test func `many features on one coordinate are as good as others`() throws {
    let coordinate = Coordinate(latitude: 52.517729, longitude: 13.3937395)
    let count = 200_000
    var batch = FeatureBatch()
    let properties: [UInt8] = Array("{}".utf8)
    properties.withUnsafeBytes { properties in
      for id in 0..<count {
        batch.append(
          id: FeatureID(known: id), coordinate: coordinate,
          further: UnsafeBufferPointer(start: nil, count: 0), properties: properties)
      }
    }
    let index = try FeatureIndex().applying(.upsert(batch))
    let found = try #require(index.ordinal(of: FeatureID(known: 123_456)))
    #expect(index.record(at: found).id == FeatureID(known: 123_456))
    var request = TwinRequest(.bbox(west: 13, south: 52, east: 14, north: 53), .zoom(24))
    request.rect = .mapRect(x: 0, y: 0, width: 0, height: 0)
    request.marginFactor = 0
    let point = WebMercator.project(coordinate)
    request.rect = .mapRect(x: point.x - 10, y: point.y - 10, width: 20, height: 20)
    let result = try index.clusters(
      in: request.viewport(), settings: ClusterSettings(), limit: 10)
    let annotation = try #require(result.annotations.first)
    #expect(result.annotations.count == 1 && annotation.count == count)
    #expect(annotation.isUniqueLocation)
    #expect(annotation.coordinate.isNear(coordinate, within: 1e-7))
    let page = FeatureScope(index).ordinals(
      in: try DegreesRegion(west: 13, south: 52, east: 14, north: 53), offset: 199_998, limit: 10)
    #expect(page.map { index.record(at: $0).id.description } == ["199998", "199999"])
    #expect(throws: ImpossibleRequest.self) {
      var apart = ClusterSettings()
      apart.minPoints = .max
      apart.decluster = true
      _ = try index.clusters(in: request.viewport(), settings: apart, limit: 10_000)
    }
  }
}
