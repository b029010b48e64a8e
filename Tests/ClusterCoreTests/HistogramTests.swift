import TestSupport
import Testing

@testable import ClusterCore

/// Histograms against bins that are filled one number after the other.
@Suite(.timeLimit(.minutes(5))) struct HistogramTests {
  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `bins hold what their edges say`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // Numbers that go along with places, so that blocks as a whole are in a bin or at its edge; and none.
    let features = (0..<2000).map { id -> TwinFeature in
      let longitude = generator.double(-180...180)
      let number = generator.pick([
        (longitude / 40).rounded(), (longitude / 4).rounded(), generator.double(-50...50),
      ])
      let isThere = longitude < 100 && generator.chance(longitude < 0 ? 1 : 0.7)
      return TwinFeature(
        id, longitude, generator.double(-80...80), isThere ? "{\"n\":\(number)}" : "{\"n\":\"\"}")
    }
    let collection = try IndexedCollection(
      FeatureIndex.of(features, blockCapacity: generator.pick([4, 30, 1024])))
    let (index, column) = (collection.index, collection.testColumn("n"))
    for _ in 0..<40 {
      let cells = try Viewport(
        rect: try VisibleRect.bbox(
          west: generator.double(-180...180), south: -85, east: generator.double(-180...180),
          north: 85), scale: .zoom(generator.double(0...4)), cellSize: 100, marginFactor: 0
      ).cells
      var scope = FeatureScope(collection)
      if generator.chance(0.4) {
        let expression = FilterExpression.comparison(
          .property([110]), generator.pick([.less, .greater]),
          .number(Double(generator.int(-3...3))))
        let filter = FeatureFilter(expression, of: index) { collection.testColumn($0) }
        scope = FeatureScope(collection, passing: filter, near: cells)
      }
      let numbers = scope.ordinals(in: nil, offset: 0, limit: .max).filter {
        cells.contains(cells.grid.cell(of: $0, in: index.points.pointers))
      }.map { column.number(at: $0) }
      let known = numbers.filter { !$0.isNaN }
      let bins = generator.int(1...30)
      let low = Double(generator.int(-6...3))
      let range = generator.pick([nil, low...low + Double(generator.int(1...5)), -45...45])
      let histogram = Histogram(of: column, bins: bins, range: range, in: cells, of: scope)
      #expect(histogram.missing == numbers.count - known.count)
      let expected = range ?? known.min().map { $0...(known.max() ?? $0) }
      #expect(histogram.range == expected)
      guard let (from, to) = expected.map({ ($0.lowerBound, $0.upperBound) }) else { continue }
      func edge(_ bin: Int) -> Double {
        bin == bins ? to : from + (to - from) * (Double(bin) / Double(bins))
      }
      let counts = (0..<bins).map { bin in
        known.count {
          $0 >= edge(bin) && ($0 < edge(bin + 1) || (bin == bins - 1 && $0 == to))
        }
      }
      // Without any width all numbers are in the last bin.
      if from < to { #expect(histogram.counts == counts) }
      #expect(histogram.counts.reduce(0, +) == known.count { $0 >= from && $0 <= to })
    }
  }
}
