import Threading

/// How many features have a number in each of some bins of equal width. Bin i of n begins at
/// from + (to − from)·i/n, and ends before the next one begins; the last bin includes its end.
public struct Histogram: Equatable, Sendable {
  /// Where the first bin begins and the last one ends: the requested ones, or the least and the greatest
  /// number; nil if there is none.
  public private(set) var range: ClosedRange<Double>?
  /// The number of features in each bin. Numbers outside of the range are in none.
  public private(set) var counts: [Int]
  /// The number of features without a number.
  public private(set) var missing = 0

  /// Where each bin begins, and where the last one ends.
  private var edges: [Double] = []
  /// The number of bins in a width of 2, as whole widths may overflow; 0 if that isn't a useful number.
  private var scale = 0.0

  private init(bins: Int, _ range: ClosedRange<Double>?) {
    counts = [Int](repeating: 0, count: bins)
    guard let range else { return }
    self.range = range
    let (from, to) = (range.lowerBound, range.upperBound)
    let width = to - from
    let half = to / 2 - from / 2
    let exact = Double(bins) / half
    scale = exact.isFinite && (half * exact).isFinite ? exact : 0
    for bin in 0...bins {
      // Multiplied first, so that an edge that is a whole number is one.
      let product = width * Double(bin)
      let part = Double(bin) / Double(bins)
      let edge =
        product.isFinite ? from + product / Double(bins) : from * (1 - part) + to * part
      edges.append(bin == 0 ? from : bin == bins ? to : min(max(edge, edges[bin - 1]), to))
    }
  }

  /// The bin of a number within the range.
  @inline(__always)
  private func bin(of number: Double) -> Int {
    var bin = min(max(Int((number / 2 - edges[0] / 2) * scale), 0), counts.count - 1)
    while bin > 0, number < edges[bin] { bin -= 1 }
    while bin < counts.count - 1, number >= edges[bin + 1] { bin += 1 }
    return bin
  }

  /// Counts numbers, NaN for missing ones.
  private mutating func count(_ numbers: UnsafeBufferPointer<Double>) {
    guard let range else { return missing += numbers.count }
    let (from, to) = (range.lowerBound, range.upperBound)
    var missing = 0
    for number in numbers {
      if number >= from && number <= to {
        counts[bin(of: number)] &+= 1
      } else if number != number {
        missing &+= 1
      }
    }
    self.missing += missing
  }

  /// Counts all features of a block if that needs no look at single ones; returns whether it does.
  private mutating func count(_ chunk: ColumnChunk) -> Bool {
    let (least, greatest) = chunk.extent
    if let range, least <= greatest {
      if range.lowerBound <= least, greatest <= range.upperBound {
        let bin = bin(of: least)
        guard bin == self.bin(of: greatest) else { return false }
        counts[bin] += chunk.numberCount
      } else if range.lowerBound <= greatest, least <= range.upperBound {
        return false
      }
    }
    missing += chunk.count - chunk.numberCount
    return true
  }
}

extension Histogram {
  /// Counts the features of a scope in some cells.
  ///
  /// - Parameter range: nil for that of the numbers.
  /// - Complexity: O(n), and less where blocks as a whole are in a bin.
  public init(
    of column: PropertyColumn, bins: Int, range: ClosedRange<Double>?, in cells: GridRange,
    of scope: FeatureScope
  ) {
    var range = range
    if range == nil {
      var (least, greatest) = (Double.infinity, -Double.infinity)
      scope.forEachNumbers(of: column, in: cells) { chunk, numbers in
        if let chunk {
          (least, greatest) = (min(least, chunk.extent.least), max(greatest, chunk.extent.greatest))
          return
        }
        for number in numbers {
          least = number < least ? number : least
          greatest = number > greatest ? number : greatest
        }
      }
      range = least <= greatest ? least...greatest : nil
    }
    var result = Histogram(bins: bins, range)
    scope.forEachNumbers(of: column, in: cells) { chunk, numbers in
      if let chunk, result.count(chunk) { return }
      Cancellation.poll(numbers.count * 4)
      result.count(numbers)
    } missing: {
      result.missing += $0
    }
    self = result
  }
}

extension FeatureScope {
  /// Calls `body` with the numbers of the features in some cells, run by run, NaN where there is none, and with
  /// the values of the block where a run is a whole one; calls `missing` with the sizes of runs without numbers.
  @inline(__always)
  fileprivate func forEachNumbers(
    of column: PropertyColumn, in cells: GridRange,
    _ body: (ColumnChunk?, UnsafeBufferPointer<Double>) -> Void, missing: (Int) -> Void = { _ in }
  ) {
    points.forEachRun(in: CellsRegion(cells)) { run in
      if Cancellation.poll(run.count / 2 + 10) { return false }
      return forEachCollectionRun(run) { run in
        guard let doubles = column.doubles[around: run.lowerBound] else {
          missing(run.count)
          return true
        }
        let chunk = column.chunks[run.lowerBound >> PointIndex.blockBits]
        body(
          run.count == chunk.count ? chunk : nil,
          UnsafeBufferPointer(start: doubles + run.lowerBound, count: run.count))
        return true
      }
    }
  }
}
