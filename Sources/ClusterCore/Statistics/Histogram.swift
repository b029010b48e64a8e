import Threading

/// How many features have a number in each of some bins of equal width. Bin i of n begins at
/// from + (to − from)·i/n, and ends before the next one begins; the last bin includes its end.
public struct Histogram: Equatable, Sendable {
  /// Where the first bin begins and the last one ends: what was asked for, or the least and the greatest
  /// number; nil if there is none.
  public private(set) var range: ClosedRange<Double>?
  /// The number of features in each bin. Numbers outside of the range are in none.
  public private(set) var counts: [Int]
  /// The number of features without a number.
  public private(set) var missing = 0

  /// Where each bin begins, and where the last one ends.
  private var edges: [Double] = []
  /// The number of bins in a width of 1; 0 if that isn't a useful number.
  private var scale = 0.0

  private init(bins: Int, _ range: ClosedRange<Double>?) {
    counts = [Int](repeating: 0, count: bins)
    guard let range else { return }
    self.range = range
    let (from, to) = (range.lowerBound, range.upperBound)
    let width = to - from
    let exact = Double(bins) / width
    scale = exact.isFinite && (width * exact).isFinite ? exact : 0
    for bin in 0...bins {
      let part = Double(bin) / Double(bins)
      let edge = width.isFinite ? from + width * part : from * (1 - part) + to * part
      edges.append(bin == 0 ? from : bin == bins ? to : min(max(edge, edges[bin - 1]), to))
    }
  }

  /// Counts a number within the range.
  @inline(__always)
  private mutating func count(_ number: Double) {
    var bin = min(max(Int((number - edges[0]) * scale), 0), counts.count - 1)
    while bin > 0, number < edges[bin] { bin -= 1 }
    while bin < counts.count - 1, number >= edges[bin + 1] { bin += 1 }
    counts[bin] += 1
  }
}

extension Histogram {
  /// Counts the features of a scope in some cells; O(n).
  ///
  /// - Parameter range: nil for that of the numbers.
  public init(
    of column: PropertyColumn, bins: Int, range: ClosedRange<Double>?, in cells: GridRange,
    of scope: FeatureScope
  ) {
    var range = range
    if range == nil {
      var (least, greatest) = (Double.infinity, -Double.infinity)
      scope.forEachNumber(of: column, in: cells) {
        least = $0 < least ? $0 : least
        greatest = $0 > greatest ? $0 : greatest
      }
      range = least <= greatest ? least...greatest : nil
    }
    var result = Histogram(bins: bins, range)
    var missing = 0
    scope.forEachNumber(of: column, in: cells) { number in
      if number.isNaN {
        missing += 1
      } else if range?.contains(number) == true {
        result.count(number)
      }
    }
    self = result
    self.missing = missing
  }
}

extension FeatureScope {
  /// Calls `body` with the number of each feature in some cells, NaN where there is none.
  @inline(__always)
  fileprivate func forEachNumber(
    of column: PropertyColumn, in cells: GridRange, _ body: (Double) -> Void
  ) {
    points.forEachRun(in: CellsRegion(cells)) { run in
      if Interruption.poll(run.count * 4) { return false }
      return forEachCollectionRun(run) { run in
        for ordinal in run { body(column.number(at: ordinal)) }
        return true
      }
    }
  }
}
