import CVectors
import TestSupport
import Testing

@testable import ClusterCore

/// Loops over numbers and bits in C beside plain ones.
@Suite(.timeLimit(.minutes(5))) struct MaskTests {
  @Test func `numbers within a range, and spans apart from one`() {
    var generator = SeededGenerator(seed: 1)
    let edges = [-1.5, 0, -0.0, 1, 2.0.nextDown, 2, 2.0.nextUp, .infinity, -.infinity, .nan]
    for _ in 0..<20_000 {
      let count = generator.int(1...64)
      let firsts = (0..<count).map { _ in generator.pick(edges) }
      let lasts = firsts.map { first in generator.chance(0.5) ? .nan : first + 1 }
      let (low, high) = (generator.pick(edges.dropLast()), generator.pick(edges.dropLast()))
      func mask(_ holds: (Int) -> Bool) -> UInt64 {
        (0..<count).reduce(0) { $0 | (holds($1) ? 1 << UInt64($1) : 0) }
      }
      #expect(
        cvectors_within(firsts, count, low, high)
          == mask { firsts[$0] >= low && firsts[$0] <= high })
      #expect(cvectors_known(firsts, count) == mask { !firsts[$0].isNaN })
      #expect(
        cvectors_apart(firsts, lasts, count, low, high)
          == mask { firsts[$0] > high || (lasts[$0].isNaN ? firsts[$0] : lasts[$0]) < low })
    }
  }

  @Test func `points with a bit are added up`() {
    var generator = SeededGenerator(seed: 2)
    let degrees = StepDegrees.shared
    for _ in 0..<4000 {
      let count = generator.int(1...200)
      let isTall = generator.chance(0.3)
      let top = UInt32(generator.int(1...255)) << 24
      let positions = (0..<count).map { _ in
        Position(
          x: generator.pick([0, .max, UInt32(generator.int(0...Int(UInt32.max)))]),
          y: isTall
            ? UInt32(generator.int(1...Int(UInt32.max) - 1))
            : top - UInt32(generator.int(1...1 << 24)))
      }
      let start = generator.int(0...130)
      let share = generator.pick([0, 0.02, 0.5, 1])
      // No word behind the last bit, so that a sanitizer would see a look at it.
      var words = [UInt64](repeating: 0, count: (start + count + 63) / 64)
      var expected = PointSum()
      var first: Int?
      for (number, position) in positions.enumerated() where generator.chance(share) {
        words[(start + number) / 64] |= 1 << UInt64((start + number) % 64)
        expected.add(position, latitude: degrees.latitude(position.y))
        first = first ?? number
      }
      if start > 0 { words[0] |= 1 }
      if start > 65 { words[(start - 1) / 64] |= 1 << UInt64((start - 1) % 64) }
      let intervals = Set(positions.map { StepDegrees.interval(of: $0.y) })
      positions.withUnsafeBytes { bytes in
        let points = bytes.bindMemory(to: UInt64.self)
        guard let base = points.baseAddress else { return }
        for isPlain in [false, true] {
          let found = cvectors_masked_sum(
            base, count, words, start, degrees.forVectors(isOneInterval: intervals.count == 1),
            isPlain)
          #expect(PointSum(found) == expected)
          #expect(found.first == first.map { UInt64($0) } ?? .max)
        }
      }
    }
  }
}
