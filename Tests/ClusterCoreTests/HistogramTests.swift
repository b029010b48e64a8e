import TestSupport
import Testing

@testable import ClusterCore

/// Histograms against bins that are filled one number after the other.
@Suite(.timeLimit(.minutes(5))) struct HistogramTests {
  @Test(arguments: Seeds.each(1...5))
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
        bin == bins ? to : from + (to - from) * Double(bin) / Double(bins)
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

  @Test(arguments: [(100, 100.0), (20, 100_000.0), (49, 98.0), (7, 0.7)])
  func `a number at an edge is in the bin that begins there`(bins: Int, most: Double) throws {
    let features = (0...bins).map { bin in
      TwinFeature(bin, Double(bin) / 10, 0, "{\"n\":\(most * Double(bin) / Double(bins))}")
    }
    let collection = try IndexedCollection(FeatureIndex.of(features))
    let cells = try Viewport(
      rect: try VisibleRect.bbox(west: -180, south: -85, east: 180, north: 85), scale: .zoom(0),
      cellSize: 100, marginFactor: 0
    ).cells
    let histogram = Histogram(
      of: collection.testColumn("n"), bins: bins, range: 0...most, in: cells,
      of: FeatureScope(collection))
    #expect(histogram.counts == Array(repeating: 1, count: bins - 1) + [2])
  }

  @Test(arguments: [1.0, 1e-308, 1e300, 1.7e308, .greatestFiniteMagnitude])
  func `numbers may lie as far apart as numbers can`(most: Double) throws {
    var generator = SeededGenerator(seed: 7)
    let numbers =
      [-most, most, 0, most.nextDown, (-most).nextUp]
      + (0..<500).map { _ in most * generator.double(-1...1) }
    let features = numbers.enumerated().map { id, number in
      TwinFeature(id, generator.double(-180...180), 0, "{\"n\":\(number)}")
    }
    let collection = try IndexedCollection(FeatureIndex.of(features))
    let cells = try Viewport(
      rect: try VisibleRect.bbox(west: -180, south: -85, east: 180, north: 85), scale: .zoom(0),
      cellSize: 100, marginFactor: 0
    ).cells
    for (bins, range) in [(1, nil), (10, nil), (7, -most...most), (30, -most / 2...most)] {
      let histogram = Histogram(
        of: collection.testColumn("n"), bins: bins, range: range, in: cells,
        of: FeatureScope(collection))
      let (from, to) = (range?.lowerBound ?? -most, most)
      let edges = (0...bins).map { bin in
        let part = Double(bin) / Double(bins)
        return bin == 0 ? from : bin == bins ? to : from * (1 - part) + to * part
      }
      // An edge may be rounded in two ways, so that a number at it may be on either side.
      let slack = most * 1e-12
      for bin in 0..<bins {
        let inner = numbers.count { $0 > edges[bin] + slack && $0 < edges[bin + 1] - slack }
        let outer = numbers.count { $0 >= edges[bin] - slack && $0 <= edges[bin + 1] + slack }
        #expect((inner...outer).contains(histogram.counts[bin]))
      }
      #expect(histogram.counts.reduce(0, +) == numbers.count { $0 >= from })
    }
  }
}
