import TestSupport
import Testing

@testable import ClusterCore

/// What cells add up to, however it is added up.
@Suite(.timeLimit(.minutes(5))) struct GridSummationTests {
  @Test(arguments: Dataset.allCases)
  func `neither vectors nor the number of processors show`(data: Dataset) throws {
    for blockCapacity in [4, 50, 1024] {
      let index = try FeatureIndex.of(data.features(seed: 5), blockCapacity: blockCapacity)
      let ordinals = index.ordinals
      var generator = SeededGenerator(seed: 5)
      for _ in 0..<15 {
        let viewport = try Viewport(
          rect: try VisibleRect.bbox(
            west: generator.double(-180...180), south: generator.double(-90...0),
            east: generator.double(-180...180), north: generator.double(0...90)),
          scale: .zoom(generator.double(0...8)), cellSize: generator.double(80...200),
          marginFactor: 0.5)
        let excluded = OrdinalSet((0..<generator.int(0...3)).map { _ in generator.pick(ordinals) })
        func check(_ region: some IndexRegion) {
          func sums(_ vectors: Vectors?, sharedFrom: Int) -> [CellSum] {
            GridSummation.sums(
              of: index.points, in: region, by: viewport.cells, excluding: excluded,
              countingLocations: false, vectors: vectors, sharedFrom: sharedFrom)
          }
          let plain = sums(nil, sharedFrom: .max)
          for (vectors, sharedFrom) in [(Vectors.best, Int.max), (.best, 0), (nil, 0)] {
            let other = sums(vectors, sharedFrom: sharedFrom)
            #expect(plain.count == other.count)
            for (a, b) in zip(plain, other) {
              #expect(a.cell == b.cell && a.sum == b.sum && a.first == b.first)
            }
          }
        }
        check(EverywhereRegion())
        let world = WebMercator.worldSize
        check(
          MapRegion(
            MapRect(
              x: generator.double(0...world), y: generator.double(0...world / 2),
              width: generator.double(0...world), height: generator.double(0...world))))
      }
    }
  }
}
