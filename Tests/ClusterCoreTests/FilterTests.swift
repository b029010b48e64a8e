import TestSupport
import Testing
import Threading

@testable import ClusterCore

/// Filters over columns against an evaluator that looks at one feature after the other.
@Suite(.timeLimit(.minutes(5))) struct FilterTests {
  @Test(arguments: 1...12)
  func `random filters pass what row by row evaluation passes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let index = try FeatureIndex.of(generator.propertyFeatures(generator.pick([1, 63, 64, 300])))
    let names = ["p", "q", "r", "n", "s", "t", "u", "absent"]
    let columns = names.map { index.testColumn($0) }
    let values = columns.map { column in
      Dictionary(uniqueKeysWithValues: zip(index.ordinals, column.owned(index)))
    }
    var runs: [Range<Int>] = []
    index.points.forEachRun { runs.append($0) }
    for _ in 0..<150 {
      let expression = generator.expression(depth: 4)
      let filter = BoundFilter(expression, of: index) { index.testColumn($0) }
      let expected = index.ordinals.filter { ordinal in
        expression.isTrue(at: index.coordinate(at: ordinal)) { name in
          values[names.firstIndex(of: String(decoding: name, as: UTF8.self)) ?? 7][ordinal]
            ?? .missing
        } == true
      }
      var passing: [Int] = []
      for run in runs { filter.forEachPassing(in: run) { passing.append($0) } }
      #expect(passing == expected, "\(expression)")
      #expect(expression.normalised.normalised == expression.normalised)
      checkRanges(filter, Set(expected), generator.pick(runs), &generator)
    }
  }

  /// Parts of the index, and single features, come to the same.
  private func checkRanges(
    _ filter: BoundFilter, _ expected: Set<Int>, _ run: Range<Int>,
    _ generator: inout SeededGenerator
  ) {
    let start = generator.int(run.lowerBound...run.upperBound - 1)
    let end = generator.int(start...run.upperBound)
    #expect(count(filter, start..<end) == expected.count { $0 >= start && $0 < end })
    #expect(filter.passes(start) == expected.contains(start))
    let width = min(64, run.upperBound - start)
    let mask = filter.mask(from: start, count: width)
    #expect((0..<width).allSatisfy { mask >> $0 & 1 == (expected.contains(start + $0) ? 1 : 0) })
    #expect(width == 64 || mask >> width == 0)
  }

  /// How many features pass.
  private func passing(_ filter: BoundFilter, of index: FeatureIndex) -> Int {
    var total = 0
    index.points.forEachRun { total += count(filter, $0) }
    return total
  }

  private func count(_ filter: BoundFilter, _ range: Range<Int>) -> Int {
    var total = 0
    filter.forEachPassing(in: range) { _ in total += 1 }
    return total
  }

  private func property(_ name: String) -> FilterExpression.Operand { .property(Array(name.utf8)) }

  @Test func `ways of writing a filter share a form`() {
    let (p, one) = (property("p"), FilterExpression.Operand.number(1))
    let two = FilterExpression.Operand.number(2)
    typealias E = FilterExpression
    let list = E.inList(p, [one, two]).normalised
    #expect(E.or([.comparison(p, .equal, one), .comparison(two, .equal, p)]).normalised == list)
    #expect(
      E.not(.and([.comparison(p, .notEqual, one), .comparison(p, .notEqual, two)])).normalised
        == list)
    #expect(
      E.not(.comparison(p, .less, one)).normalised
        == E.comparison(one, .lessOrEqual, p).normalised)
    let like = E.isNull(p)
    #expect(E.and([like, .and([.not(.not(like)), .literal(true)])]).normalised == like)
    #expect(E.or([like, .literal(true)]).normalised == .literal(true))
    #expect(E.comparison(one, .equal, .string([49])).normalised == .literal(false))
    #expect(E.not(.comparison(one, .equal, .string([49]))).normalised == .literal(false))
    #expect(
      E.and([.comparison(p, .less, property("q")), .like(property("p"), .any)]).propertyNames
        == [[112], [113]])
  }

  @Test func `more strings than answers are remembered for`() throws {
    // Each condition remembers 100,000 answers, and 16 MiB are had after 167 of them.
    let features = (0..<100_000).map { TwinFeature($0, 0, 0, "{\"t\":\"v\($0)\"}") }
    let index = try FeatureIndex.of(features)
    let column = index.testColumn("t")
    let parts = (0..<300).map { number in
      FilterExpression.comparison(
        property("t"), .less, .string(Array("u\(number)".utf8)))
    }
    let filter = BoundFilter(
      .or(parts + [.comparison(property("t"), .equal, .string(Array("v77".utf8)))]),
      of: index
    ) { _ in column }
    #expect(filter.byteCount <= 16 << 20)
    #expect(passing(filter, of: index) == 1)
  }

  @Test func `many threads ask one filter`() throws {
    let features = (0..<5000).map { TwinFeature($0, 0, 0, "{\"t\":\"v\($0 % 997)\"}") }
    let index = try FeatureIndex.of(features)
    let filter = BoundFilter(.like(property("t"), .sevens), of: index) { _ in
      index.testColumn("t")
    }
    let counts = Locked<Set<Int>>([])
    Threads.run(4) { _ in
      let count = passing(filter, of: index)
      counts.withLock { _ = $0.insert(count) }
    }
    let expected = (0..<5000).count { String($0 % 997).contains("7") }
    #expect(counts.withLock { $0 } == [expected])
  }
}

extension LikePattern {
  static var any: LikePattern { known("%") }
  static var sevens: LikePattern { known("%7%") }

  static func known(_ text: String) -> LikePattern {
    guard let pattern = LikePattern(Array(text.utf8)) else { preconditionFailure(text) }
    return pattern
  }
}
