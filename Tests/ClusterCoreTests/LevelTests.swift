import CVectors
import TestSupport
import Testing

@testable import ClusterCore

/// Comparisons of numbers by their levels against comparisons of the numbers.
@Suite(.timeLimit(.minutes(5))) struct LevelTests {
  /// The numbers of a block of some kind, NaN where there is none.
  private func numbers(
    _ kind: Int, _ count: Int, _ generator: inout SeededGenerator
  ) -> [Double] {
    let extremes = [
      -.infinity, .infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0, -0.0,
      .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude, 1, 1.0.nextUp, -1,
    ]
    let one = generator.pick(extremes)
    let share = generator.pick([0, 0, 0.1, 0.9])
    return (0..<count).map { _ in
      if generator.chance(share) { return .nan }
      return switch kind {
      case 0: Double(generator.int(-5...5))
      case 1: one
      case 2: generator.pick([one, one.nextUp])
      case 3: generator.pick(extremes)
      case 4: Double(bitPattern: UInt64.random(in: 0...0x7FEF_FFFF_FFFF_FFFF, using: &generator))
      case 5: (1.42e12 + generator.double(0...3.15e11)).rounded()
      case 6: (5000 / generator.double(0.0001...1)).rounded()
      default: generator.double(-1...1)
      }
    }
  }
  private let kinds = 0...7

  private func chunk(_ numbers: [Double]) -> ColumnChunk {
    let doubles = WritableArray<Double>(copying: numbers, count: numbers.count)
    return ColumnChunk(count: numbers.count, codes: nil, doubles: doubles.fixed)
  }

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

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `levels are in the order of numbers, and tell what is in a range`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<400 {
      let kind = round % kinds.count
      let numbers = numbers(kind, generator.int(1...100), &generator)
      let chunk = chunk(numbers)
      guard let levels = chunk.levels else {
        #expect(numbers.allSatisfy { $0.isNaN })
        continue
      }
      for (number, level) in zip(numbers, levels.buffer) {
        #expect(number.isNaN == (level == NumberLevels.none))
      }
      let sorted = zip(numbers, levels.buffer).filter { !$0.0.isNaN }.sorted { $0.0 < $1.0 }
      for (a, b) in zip(sorted, sorted.dropFirst()) {
        #expect(a.0 == b.0 ? a.1 == b.1 : a.1 <= b.1)
      }
      for _ in 0..<20 {
        let (low, high) = (bound(numbers, &generator), bound(numbers, &generator))
        let span = chunk.scale.span(
          from: low, through: high, least: chunk.extent.least, greatest: chunk.extent.greatest)
        var open = 0
        for (number, level) in sorted {
          let isIn = number >= low && number <= high
          let mayBe = span.map { level >= $0.outer.low && level <= $0.outer.high } ?? false
          let mustBe = span.map { level >= $0.inner.low && level <= $0.inner.high } ?? false
          #expect(isIn ? mayBe : !mustBe, "\(number) from \(low) to \(high)")
          #expect(!mustBe || mayBe)
          open += mayBe && !mustBe ? 1 : 0
        }
        // What levels don't tell costs a look: whole numbers need none.
        if kind == 0 || span?.isExact == true { #expect(open == 0) }
      }
    }
  }

  @Test func `levels tell nearly all numbers of a block apart`() {
    var generator = SeededGenerator(seed: 5)
    for kind in [5, 6, 7] {
      var open = 0
      for _ in 0..<50 {
        let numbers = numbers(kind, 1024, &generator).filter { !$0.isNaN }
        let chunk = chunk(numbers)
        guard let levels = chunk.levels else { continue }
        let low = generator.pick(numbers).nextUp
        let span = chunk.scale.span(
          from: low, through: .infinity, least: chunk.extent.least,
          greatest: chunk.extent.greatest)
        guard let span else { continue }
        open += levels.buffer.count {
          $0 >= span.outer.low && $0 <= span.outer.high
            && !($0 >= span.inner.low && $0 <= span.inner.high)
        }
      }
      #expect(open < 50 * 10, "\(kind)")
    }
  }

  @Test func `a bit for each level within a range`() {
    var generator = SeededGenerator(seed: 6)
    for _ in 0..<2000 {
      let count = generator.int(1...200)
      let edges: [UInt16] = [0, 1, 100, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF]
      let levels = (0..<count).map { _ in
        generator.chance(0.5)
          ? generator.pick(edges) : UInt16.random(in: 0...200, using: &generator)
      }
      let (low, high) = (generator.pick(edges), generator.pick(edges))
      var words = [UInt64](repeating: .max, count: (count + 63) / 64)
      cvectors_levels_within(levels, count, low, high, &words)
      for bit in 0..<words.count * 64 {
        let isIn = bit < count && levels[bit] >= low && levels[bit] <= high
        #expect(words[bit / 64] >> UInt64(bit % 64) & 1 == (isIn ? 1 : 0))
      }
    }
  }

  // MARK: - In filters

  private func text(_ number: Double) -> String? { number.isFinite ? "\(number)" : nil }

  private func feature(_ id: Int, _ number: Double, _ isDay: Bool) -> TwinFeature {
    var members = text(number).map { ["\"n\":\($0)"] } ?? []
    // Times of tests are whole numbers.
    let time = abs(number) < 1e6 ? Int(number) : nil
    if let time { members.append("\"t\":\"\(isDay ? "D" : "T")\(time)\"") }
    return TwinFeature(id, Double(id % 360) - 180, 0, "{\(members.joined(separator: ","))}")
  }

  /// Blocks as a whole against single features, which are compared by the numbers themselves, also after changes.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `blocks pass what single features pass`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let kind = generator.int(kinds)
    let hasDays = generator.chance(0.3)
    var all = numbers(kind, generator.pick([1, 64, 700, 2500]), &generator)
    var collection = try IndexedCollection.of(
      all.enumerated().map { feature($0, $1, hasDays && generator.chance(0.1)) })
    for _ in 0..<12 {
      let index = collection.index
      for _ in 0..<12 {
        let (low, high) = (bound(all, &generator), bound(all, &generator))
        let n = FilterExpression.Operand.property([110])
        let condition: FilterExpression =
          switch generator.int(0...3) {
          case 0: .between(n, .number(low), .number(high))
          case 1:
            .comparison(n, generator.pick(FilterExpression.Comparison.allCases), .number(low))
          case 2: .window(property: [116], TimeExtent(first: min(low, high), last: max(low, high)))
          default:
            .and([
              .comparison(n, .greater, .number(low)),
              .window(property: [116], TimeExtent(first: -.infinity, last: high)),
            ])
          }
        let expression = generator.chance(0.3) ? .not(condition) : condition
        let filter = BoundFilter(expression, of: index) { collection.testColumn($0) }
        var words = [UInt64](repeating: 0, count: PointIndex.maximumBlockCount / 64)
        for number in index.blocks.indices {
          let count = index.blocks[number].count
          let first = number << PointIndex.blockBits
          let passing = filter.write(maskOfBlock: number, count: count, to: &words)
          let expected = (0..<count).filter { filter.passes(first + $0) }
          #expect(passing == expected.count, "\(expression)")
          #expect(
            (0..<count).filter { words[$0 / 64] >> UInt64($0 % 64) & 1 != 0 } == expected,
            "\(expression)")
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
