import TestSupport
import Testing

@testable import ClusterCore

/// Sums of doubles beside those of integers of 128 bits.
@Suite(.timeLimit(.minutes(1))) struct PreciseSumTests {
  @Test(arguments: Seeds.each(1...3)) func `a sum is rounded once`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      // Multiples of 2^-20, many of whose sums lie halfway between two doubles.
      var terms: [Int128] = []
      for _ in 0..<generator.int(1...6) {
        let bits = generator.int(0...52)
        let odd = Int128(generator.int(-(1 << bits)...(1 << bits)))
        terms.append(odd << Int128(generator.pick([0, 0, 1, 20, 40, 60, 72 - bits])))
      }
      var sum = PreciseSum()
      for term in terms { sum.add(Double(term) * 0x1p-20) }
      #expect(sum.value == Double(terms.reduce(0, +)) * 0x1p-20, "\(terms)")
    }
  }

  private static let halves: [(terms: [Double], sum: Double)] = [
    ([0x1p53, 1.0, 1e-20], 0x1.0000000000001p53), ([0x1p53, 1.0, -1e-20], 0x1p53),
    ([0x1p53, 1.0], 0x1p53), ([-0x1p53, -1.0, -1e-20], -0x1.0000000000001p53),
    ([-0x1p53, -1.0, 1e-20], -0x1p53), ([0x1.0000000000001p53, 1.0], 0x1.0000000000002p53),
    ([0x1.0000000000001p53, 1.0, -1e-300], 0x1.0000000000001p53),
    ([1e308, 1e308], Double.infinity), ([0.1, 0.2, -0.3], 2.7755575615628914e-17),
  ]

  @Test(arguments: halves)
  func `what is halfway is decided by the smallest term`(_ terms: [Double], _ expected: Double) {
    for terms in [terms, Array(terms.reversed())] {
      var sum = PreciseSum()
      for term in terms { sum.add(term) }
      #expect(sum.value == expected, "\(terms)")
    }
  }
}
