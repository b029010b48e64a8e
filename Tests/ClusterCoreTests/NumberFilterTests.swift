import TestSupport
import Testing

@testable import ClusterCore

/// Filters on numbers and times at the edges of their ranges, of whole blocks, against a look at each value.
@Suite(.timeLimit(.minutes(5))) struct NumberFilterTests {
  /// The numbers of a block of some kind, NaN where there is none.
  private func numbers(
    _ kind: Int, _ count: Int, _ generator: inout SeededGenerator
  ) -> [Double] {
    let extremes = [
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0, -0.0, .leastNonzeroMagnitude,
      -.leastNonzeroMagnitude, .leastNormalMagnitude, 1, 1.0.nextUp, -1,
    ]
    let one = generator.pick(extremes)
    let share = generator.pick([0, 0, 0.1, 0.9])
    return (0..<count).map { _ in
      if generator.chance(share) { return .nan }
      return switch kind {
      case 0: Double(generator.int(-5...5))
      case 1: one
      case 2: generator.pick([one, one.nextDown])
      case 3: generator.pick(extremes)
      case 4: Double(bitPattern: UInt64.random(in: 0...0x7FEF_FFFF_FFFF_FFFF, using: &generator))
      case 5: (1.42e12 + generator.double(0...3.15e11)).rounded()
      case 6: (5000 / generator.double(0.0001...1)).rounded()
      default: generator.double(-1...1)
      }
    }
  }
  private let kinds = 0...7

  /// A bound that is likely to be at an edge.
  private func bound(_ numbers: [Double], _ generator: inout SeededGenerator) -> Double {
    let number = generator.pick(numbers)
    let some = number.isNaN ? 0 : number
    return switch generator.int(0...5) {
    case 0: some
    case 1: some.nextUp
    case 2: some.nextDown
    case 3: generator.pick([-.infinity, .infinity, 0, -0.0])
    case 4: some + generator.double(-1...1) * abs(some)
    default: some.rounded() + 0.5
    }
  }

  private func feature(_ id: Int, _ number: Double, _ isDay: Bool) -> TwinFeature {
    var members = number.isFinite ? ["\"n\":\(number)"] : []
    // Times of tests are whole numbers.
    let time = abs(number) < 1e6 ? Int(number) : nil
    if let time { members.append("\"t\":\"\(isDay ? "D" : "T")\(time)\"") }
    return TwinFeature(id, Double(id % 360) - 180, 0, "{\(members.joined(separator: ","))}")
  }

  private func condition(
    _ numbers: [Double], _ generator: inout SeededGenerator
  ) -> FilterExpression {
    let (low, high) = (bound(numbers, &generator), bound(numbers, &generator))
    let n = FilterExpression.Operand.property([110])
    let condition: FilterExpression =
      switch generator.int(0...3) {
      case 0: .between(n, .number(low), .number(high))
      case 1: .comparison(n, generator.pick(FilterExpression.Comparison.allCases), .number(low))
      case 2: .window(property: [116], TimeExtent(first: min(low, high), last: max(low, high)))
      default:
        .and([
          .comparison(n, .greater, .number(low)),
          .window(property: [116], TimeExtent(first: -.infinity, last: high)),
        ])
      }
    return generator.chance(0.3) ? .not(condition) : condition
  }

  /// Also after changes, when blocks are shared with the version before.
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `blocks pass the features whose values do`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let hasDays = generator.chance(0.3)
    var all = numbers(
      generator.int(kinds), generator.pick([1, 64, 700, 2500]), &generator)
    var collection = try IndexedCollection.of(
      all.enumerated().map { feature($0, $1, hasDays && generator.chance(0.1)) })
    for _ in 0..<6 {
      let index = collection.index
      let values = Dictionary(
        uniqueKeysWithValues: index.ordinals.map { ordinal in
          (ordinal, ["n", "t"].map { OwnedValue($0, at: ordinal, of: index) })
        })
      for _ in 0..<12 {
        let expression = condition(all, &generator)
        let filter = BoundFilter(expression, of: index) { collection.testColumn($0) }
        var words = [UInt64](repeating: 0, count: PointIndex.maximumBlockCount / 64)
        for number in index.blocks.indices {
          let count = index.blocks[number].count
          let first = number << PointIndex.blockBits
          let passing = filter.write(maskOfBlock: number, count: count, to: &words)
          let expected = (first..<first + count).filter { ordinal in
            expression.isTrue(at: index.coordinate(at: ordinal)) {
              values[ordinal]?[$0 == [110] ? 0 : 1] ?? .missing
            } == true
          }
          #expect(passing == expected.count, "\(expression)")
          let found = (first..<first + count).filter { ordinal in
            let bit = ordinal - first
            return words[bit / 64] >> UInt64(bit % 64) & 1 != 0
          }
          #expect(found == expected, "\(expression)")
          let coverage = filter.coverage(ofBlock: number)
          #expect(coverage != .inside || passing == count, "\(expression)")
          #expect(coverage != .outside || passing == 0, "\(expression)")
        }
      }
      let changed = numbers(generator.int(kinds), generator.pick([1, 40]), &generator)
      let batch = changed.map { number -> TwinFeature in
        let id = generator.int(0...all.count)
        if id < all.count { all[id] = number } else { all.append(number) }
        return feature(id, number, hasDays && generator.chance(0.1))
      }
      collection = try collection.applying(.upsert(FeatureBatch(batch)))
    }
  }
}
