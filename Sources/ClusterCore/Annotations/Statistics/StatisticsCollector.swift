import Glibc
import Threading

/// Computes the statistics of one annotation after another.
public final class StatisticsCollector {
  private let wanted: Statistics
  private let result: ClusterResult
  private let columns: [PropertyColumn]
  /// The index in ``columns`` of each aggregate's column.
  private let columnIndices: [Int]
  /// The needs of each column: the numbers as a whole, the numbers one by one, and all values.
  private let needs: [(summary: Bool, numbers: Bool, values: Bool)]
  /// The number of features of each rank; all zero between annotations. Nil if nothing is counted.
  private let tally: UnsafeMutablePointer<UInt32>?

  /// Creates a collector of some statistics of the annotations of a result.
  ///
  /// - Throws: ``ImpossibleRequest`` if they have too many features, or for ``ImpossibleRequest/outOfMemory``.
  public init(_ wanted: Statistics, of result: ClusterResult) throws(ImpossibleRequest) {
    (self.wanted, self.result) = (wanted, result)
    var columns: [PropertyColumn] = []
    columnIndices = (wanted.aggregates ?? []).map { aggregate in
      if let known = columns.firstIndex(where: { $0 === aggregate.column }) { return known }
      columns.append(aggregate.column)
      return columns.count - 1
    }
    self.columns = columns
    var needs = columns.map { _ in (summary: false, numbers: false, values: false) }
    for (aggregate, column) in zip(wanted.aggregates ?? [], columnIndices) {
      switch aggregate.operation {
      case .sum, .mean, .min, .max: needs[column].summary = true
      case .median, .percentile: needs[column].numbers = true
      case .distinct: needs[column].values = true
      }
    }
    if needs.contains(where: { $0.numbers || $0.values }) {
      try Statistics.check(values: result.annotations.reduce(0) { $0 + $1.count })
    }
    self.needs = needs
    if let keys = wanted.countBy {
      // Pages that aren't touched cost nothing.
      guard let memory = calloc(keys.keys.count, MemoryLayout<UInt32>.stride) else {
        throw .outOfMemory
      }
      tally = memory.bindMemory(to: UInt32.self, capacity: keys.keys.count)
    } else {
      tally = nil
    }
  }

  deinit { free(tally) }

  /// Computes the statistics of an annotation in one pass over its features for each property, or two where
  /// values are needed one by one.
  ///
  /// - Complexity: O(n) in its features for each property; medians and distinct values O(n log n).
  public func statistics(of annotation: Annotation) -> AnnotationStatistics {
    var runs: [Range<Int>] = []
    result.forEachRun(of: annotation) {
      runs.append($0)
      return !Cancellation.isOver
    }
    var found = AnnotationStatistics()
    found.weight = wanted.weights.map { NumberSummary.weight(of: $0, runs) }
    if let keys = wanted.countBy, let tally { count(runs, by: keys, tally, into: &found) }
    let summaries = zip(columns, needs).map { column, needs in
      needs.summary ? NumberSummary(column, runs) : nil
    }
    var lists = zip(columns, needs).map { column, needs in
      needs.numbers || needs.values ? ValueList(column, runs, isWhole: needs.values) : nil
    }
    for (aggregate, column) in zip(wanted.aggregates ?? [], columnIndices) {
      found.aggregates.append(
        StatisticsCollector.value(of: aggregate, summaries[column], &lists[column], runs))
    }
    return found
  }

  private func count(
    _ runs: [Range<Int>], by keys: KeyColumn, _ tally: UnsafeMutablePointer<UInt32>,
    into found: inout AnnotationStatistics
  ) {
    var ranks: [Int] = []
    for run in runs {
      if Cancellation.poll(run.count * 5) { break }
      for ordinal in run {
        let rank = Int(keys.rank(at: ordinal))
        if tally[rank] == 0 { ranks.append(rank) }
        tally[rank] &+= 1
      }
    }
    defer { for rank in ranks { tally[rank] = 0 } }
    // Features without a value count like the string "null".
    if tally[0] > 0, let rank = keys.rank(of: KeyColumn.nullKey), tally[Int(rank)] > 0 {
      tally[Int(rank)] += tally[0]
      tally[0] = 0
    }
    let present = ranks.filter { tally[$0] > 0 }
    let sorted = present.sorted { a, b in
      tally[a] != tally[b] ? tally[a] > tally[b] : StatisticsCollector.precedes(a, b, keys)
    }
    found.counts = sorted.prefix(Statistics.maximumCounts).map { (keys.keys[$0], Int(tally[$0])) }
    let counted = found.counts.reduce(0) { $0 + $1.count }
    found.otherCount = runs.reduce(0) { $0 + $1.count } - counted
  }

  /// Whether a rank's key precedes another's. Ranks are ordered by key except rank 0, whose key is
  /// "null".
  private static func precedes(_ a: Int, _ b: Int, _ keys: KeyColumn) -> Bool {
    guard a == 0 || b == 0 else { return a < b }
    return keys.keys[a].lexicographicallyPrecedes(keys.keys[b])
  }

  private static func value(
    of aggregate: Statistics.Aggregate, _ summary: NumberSummary?, _ list: inout ValueList?,
    _ runs: [Range<Int>]
  ) -> Double? {
    let summary = summary.flatMap { $0.count > 0 ? $0 : nil }
    switch aggregate.operation {
    case .median: return list?.median
    case .percentile(let percent): return list?.percentile(percent)
    case .distinct: return Double(list?.distinctCount ?? 0)
    case .sum: return summary?.sum
    case .mean:
      guard let summary else { return nil }
      if summary.sum.isFinite { return summary.sum / Double(summary.count) }
      // The sum of large numbers may exceed the range of doubles although their mean doesn't.
      let scaled = NumberSummary(aggregate.column, runs, scale: 0x1p-64)
      return scaled.sum / Double(summary.count) * 0x1p64
    case .min: return summary?.least
    case .max: return summary?.greatest
    }
  }
}
