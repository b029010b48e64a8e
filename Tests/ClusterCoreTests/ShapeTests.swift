import TestSupport
import Testing

@testable import ClusterCore

/// Shapes against exact integers.
@Suite(.timeLimit(.minutes(5))) struct ShapeTests {
  private func point(_ x: Double, _ y: Double) -> Coordinate {
    Coordinate(latitude: y, longitude: x)
  }

  private func ring(_ points: [(Double, Double)]) -> [Coordinate] {
    points.map { point($0.0, $0.1) }
  }

  @Test(arguments: Seeds.each(1...8))
  func `random shapes hold what the twin says`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let shape = generator.shape()
      let twin = TestShape(shape)
      var corners: [Coordinate] = []
      for part in shape.parts {
        if case .polygon(let rings) = part { corners += rings.flatMap(\.self) }
        if case .line(let points) = part { corners += points }
      }
      for _ in 0..<200 {
        var place = point(
          Double(generator.int(-240...240)) / 8, Double(generator.int(-240...240)) / 8)
        // Next to corners much is on edges.
        if !corners.isEmpty, generator.chance(0.7) {
          let corner = generator.pick(corners)
          place = point(
            corner.longitude + Double(generator.int(-3...3)) / 8,
            corner.latitude + Double(generator.int(-3...3)) / 8)
        }
        #expect(
          shape.contains(place.withinWorld) == twin.contains(place.withinWorld),
          "\(shape.parts) \(place)")
      }
      checkCoverage(shape, &generator)
    }
  }

  /// What is said of a rectangle holds for each of its points.
  private func checkCoverage(_ shape: Shape, _ generator: inout SeededGenerator) {
    for _ in 0..<30 {
      let (west, south) = (generator.int(-160...160), generator.int(-160...160))
      let (width, height) = (generator.int(0...40), generator.int(0...40))
      let coverage = shape.coverage(
        of: GeoBounds(
          west: Double(west) / 8, south: Double(south) / 8, east: Double(west + width) / 8,
          north: Double(south + height) / 8))
      guard coverage != .partial else { continue }
      for _ in 0..<30 {
        let place = point(
          Double(generator.int(west...west + width)) / 8,
          Double(generator.int(south...south + height)) / 8)
        #expect(shape.contains(place) == (coverage == .inside), "\(shape.parts) \(place)")
      }
    }
  }

  @Test func `sides of a line are exact`() {
    var generator = SeededGenerator(seed: 5)
    let unit = 0x1p-44
    for _ in 0..<3000 {
      // Three points of which the third is next to the line through the others.
      let a = (generator.int(-1 << 50...1 << 50), generator.int(-1 << 50...1 << 50))
      let step = (generator.int(-1 << 20...1 << 20), generator.int(-1 << 20...1 << 20))
      let (k, l) = (generator.int(1...1 << 20), generator.int(1...1 << 20))
      let b = (a.0 + step.0 * k, a.1 + step.1 * k)
      let c = (
        a.0 + step.0 * l + generator.int(-1...1), a.1 + step.1 * l + generator.int(-1...1)
      )
      let left = Int128(b.0 - a.0) * Int128(c.1 - a.1)
      let right = Int128(b.1 - a.1) * Int128(c.0 - a.0)
      func degrees(_ value: Int) -> Double { Double(value) * unit }
      let sign = Orientation.sign(
        degrees(a.0), degrees(a.1), degrees(b.0), degrees(b.1), degrees(c.0), degrees(c.1))
      #expect((sign > 0) == (left > right) && (sign < 0) == (left < right), "\(a) \(b) \(c)")
    }
  }

  private func refusal(_ parts: [ShapePart]) -> String? {
    do {
      _ = try Shape(parts)
      return nil
    } catch {
      return error.detail
    }
  }

  private func refusal(_ rings: [(Double, Double)]...) -> String? {
    refusal([.polygon(rings.map(ring))])
  }

  @Test func `shapes that make no sense are refused`() {
    let square = [(0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0), (0.0, 0.0)]
    func moved(_ x: Double, _ y: Double, by scale: Double) -> [(Double, Double)] {
      square.map { ($0.0 * scale + x, $0.1 * scale + y) }
    }
    #expect(refusal(square) == nil)
    #expect(refusal(square, moved(1, 1, by: 0.5)) == nil)
    // Holes that touch the outer ring and each other at points.
    #expect(
      refusal(square, [(0, 0), (2, 1), (1, 2), (0, 0)], [(2, 1), (4, 1), (4, 2), (2, 1)]) == nil)
    #expect(refusal(moved(-180, -90, by: 22.5)) == nil)
    #expect(refusal(square.dropLast()).map { $0.contains("the last is the same") } == true)
    #expect(refusal([(0, 0), (1, 1), (0, 0)])?.contains("four points") == true)
    #expect(refusal([(0, 0), (1, 1), (1, 1), (0, 0)])?.contains("three different") == true)
    #expect(refusal([(0, 0), (8, 8), (8, 0), (0, 8), (0, 0)])?.contains("crosses itself") == true)
    #expect(refusal([(0, 0), (8, 0), (4, 0), (0, 0)])?.contains("lie on each other") == true)
    #expect(refusal(square, moved(4, 4, by: 1))?.contains("crosses itself") == true)
    #expect(refusal(square, moved(9, 9, by: 1))?.contains("outside of its outer ring") == true)
    #expect(refusal(square, moved(-1, -1, by: 2))?.contains("outside") == true)
    #expect(
      refusal(square, moved(1, 1, by: 0.75), moved(2, 2, by: 0.25))?.contains("another hole")
        == true)
    #expect(refusal(square, moved(0, 0, by: 0.5))?.contains("lie on each other") == true)
    #expect(refusal(moved(174, 0, by: 1))?.contains("±180") == true)
    #expect(refusal([.point(point(0, 90.5))])?.contains("±90") == true)
    #expect(refusal([.line([point(0, 0)])])?.contains("two points") == true)
    #expect(
      refusal([.envelope(GeoBounds(west: 1, south: 2, east: 3, north: 1))])?.contains("above")
        == true)
    #expect(refusal([.line((0...10_000).map { _ in point(1, 1) })])?.contains("corners") == true)
  }

  /// Combs of which all teeth are beside each other on one axis or the other, and a thicket.
  @Test func `outlines of many corners`() {
    func comb(_ count: Int, _ turn: Bool) -> [Coordinate] {
      var points = [(0.0, -1.0)]
      for tooth in 0..<count {
        points += [(Double(tooth) / 100, 0.0), (Double(tooth) / 100 + 0.005, 50.0)]
      }
      points += [(Double(count) / 100, -1.0), (0.0, -1.0)]
      return ring(turn ? points.map { ($0.1, $0.0) } : points)
    }
    #expect(refusal([.polygon([comb(4000, false)])]) == nil)
    #expect(refusal([.polygon([comb(4000, true)])]) == nil)
    var zigzag = (0..<4000).map { number -> (Double, Double) in
      let place = Double(number) / 100
      return number % 2 == 0 ? (place, place) : (place + 60, place + 20)
    }
    zigzag += [(150, 60), (150, -20), (0, -20), (0, 0)]
    #expect(refusal(zigzag)?.contains("intricate") == true)
  }
}
