/// What an answer tells of each annotation's properties.
public struct Statistics: Sendable {
  /// What becomes of the numbers of a property.
  public enum Operation: String, Sendable, CaseIterable {
    case sum, mean, min, max
  }

  /// One statistic that has a name.
  public struct Aggregate: Sendable {
    /// Its name in the answer, in UTF-8.
    public var name: [UInt8]
    /// What it is.
    public var operation: Operation
    /// Of which property.
    public var column: PropertyColumn

    /// Creates an aggregate.
    public init(name: [UInt8], operation: Operation, column: PropertyColumn) {
      self.name = name
      self.operation = operation
      self.column = column
    }
  }

  /// Whose numbers are added up as weights.
  public var weights: PropertyColumn?
  /// Whose values are counted.
  public var countBy: KeyColumn?
  /// The rest; nil where none are asked for.
  public var aggregates: [Aggregate]?

  /// Nothing.
  public init() {}

  /// How many keys are counted by name.
  public static let maximumCounts = 100
  /// How many aggregates there can be.
  public static let maximumAggregates = 16
}

/// The statistics of one annotation.
public struct AnnotationStatistics: Sendable {
  /// The sum of its weights, if asked for.
  public var weight: Double?
  /// The most frequent keys, the most frequent first, equal ones by their UTF-8; and how often.
  public var counts: [(key: [UInt8], count: Int)] = []
  /// How many features have other keys.
  public var otherCount = 0
  /// The aggregates in the order in which they were asked for; nil where there is no number.
  public var aggregates: [Double?] = []
}

/// Computes the statistics of one annotation after another.
public final class StatisticsCollector {
  private let wanted: Statistics
  /// How often each rank has come so far; all zero between annotations.
  private var tally: [Int] = []
  private var ranks: [Int] = []

  /// A collector of some statistics.
  public init(_ wanted: Statistics) {
    self.wanted = wanted
    if let keys = wanted.countBy { tally = [Int](repeating: 0, count: keys.keys.count) }
  }

  /// The statistics of an annotation, in one pass over its features for each of them.
  public func statistics(
    of annotation: Annotation, in result: ClusterResult
  ) -> AnnotationStatistics {
    var runs: [Range<Int>] = []
    result.forEachRun(of: annotation) {
      runs.append($0)
      return true
    }
    var found = AnnotationStatistics()
    found.weight = wanted.weights.map { column in
      StatisticsCollector.sum(runs) { PropertyColumn.weight(column.number(at: $0)) }.sum
    }
    if let keys = wanted.countBy { count(runs, by: keys, into: &found) }
    found.aggregates = (wanted.aggregates ?? []).map { StatisticsCollector.value(of: $0, runs) }
    return found
  }

  private func count(
    _ runs: [Range<Int>], by keys: KeyColumn, into found: inout AnnotationStatistics
  ) {
    for run in runs {
      for place in run {
        let rank = Int(keys.rank(at: place))
        if tally[rank] == 0 { ranks.append(rank) }
        tally[rank] += 1
      }
    }
    defer {
      for rank in ranks { tally[rank] = 0 }
      ranks.removeAll(keepingCapacity: true)
    }
    // Features without a value count as the string "null" does.
    if tally[0] > 0, let rank = keys.rank(of: KeyColumn.nullKey), tally[Int(rank)] > 0 {
      tally[Int(rank)] += tally[0]
      tally[0] = 0
    }
    let present = ranks.filter { tally[$0] > 0 }
    let sorted = present.sorted { a, b in
      tally[a] != tally[b] ? tally[a] > tally[b] : StatisticsCollector.precedes(a, b, keys)
    }
    found.counts = sorted.prefix(Statistics.maximumCounts).map { (keys.keys[$0], tally[$0]) }
    let counted = found.counts.reduce(0) { $0 + $1.count }
    found.otherCount = runs.reduce(0) { $0 + $1.count } - counted
  }

  /// By key: ranks are in that order, but for rank 0, whose key is "null".
  private static func precedes(_ a: Int, _ b: Int, _ keys: KeyColumn) -> Bool {
    guard a == 0 || b == 0 else { return a < b }
    return keys.keys[a].lexicographicallyPrecedes(keys.keys[b])
  }

  private static func sum(
    _ runs: [Range<Int>], _ number: (Int) -> Double
  ) -> (sum: Double, count: Int) {
    var sum = PreciseSum()
    var count = 0
    for run in runs {
      for place in run {
        let number = number(place)
        guard !number.isNaN else { continue }
        sum.add(number)
        count += 1
      }
    }
    return (sum.value, count)
  }

  private static func value(
    of aggregate: Statistics.Aggregate, _ runs: [Range<Int>]
  ) -> Double? {
    let column = aggregate.column
    guard column.hasNumbers else { return nil }
    switch aggregate.operation {
    case .sum, .mean:
      let (sum, count) = sum(runs) { column.number(at: $0) }
      guard count > 0 else { return nil }
      if aggregate.operation == .sum { return sum }
      if sum.isFinite { return sum / Double(count) }
      // The sum of large numbers may be past the doubles where their mean isn't.
      return StatisticsCollector.sum(runs) { column.number(at: $0) / 0x1p64 }.sum / Double(count)
        * 0x1p64
    case .min: return extreme(runs, column, <)
    case .max: return extreme(runs, column, >)
    }
  }

  private static func extreme(
    _ runs: [Range<Int>], _ column: PropertyColumn, _ isBetter: (Double, Double) -> Bool
  ) -> Double? {
    var best: Double?
    for run in runs {
      for place in run {
        let number = column.number(at: place)
        if !number.isNaN, best.map({ isBetter(number, $0) }) ?? true { best = number }
      }
    }
    return best
  }
}
