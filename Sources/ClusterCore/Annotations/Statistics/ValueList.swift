import Threading

/// The values of a property of some features one by one, for statistics that can't be computed from
/// sums.
struct ValueList {
  private var numbers: [Double] = []
  /// The codes of values that aren't numbers.
  private var codes: [PropertyColumn.Code] = []

  /// Gathers the values of some features.
  ///
  /// - Parameter isWhole: whether values other than numbers are needed, too.
  init(_ column: PropertyColumn, _ runs: [Range<Int>], isWhole: Bool) {
    for run in runs {
      if Cancellation.poll(run.count * 3) { break }
      if let doubles = column.doubles[around: run.lowerBound] {
        for ordinal in run where doubles[ordinal] == doubles[ordinal] {
          numbers.append(doubles[ordinal])
        }
      }
      guard isWhole, let own = column.codes[around: run.lowerBound] else { continue }
      for ordinal in run {
        let code = own[ordinal]
        if code != PropertyColumn.missing && code != PropertyColumn.number { codes.append(code) }
      }
    }
    withExtendedLifetime(column) {}
  }

  /// The number that is at a place in ascending order. O(n)
  private mutating func number(at place: Int) -> Double {
    numbers.withUnsafeMutableBufferPointer {
      PartialSort.arrange($0, place..<place + 1, nanoseconds: 3) { $0 < $1 }
    }
    return numbers[place]
  }

  /// The number in the middle, or the mean of both; nil if there is none.
  var median: Double? {
    mutating get {
      guard !numbers.isEmpty else { return nil }
      let upper = number(at: numbers.count / 2)
      guard numbers.count % 2 == 0 else { return upper }
      let lower = number(at: numbers.count / 2 - 1)
      let sum = lower + upper
      return sum.isFinite ? sum / 2 : lower / 2 + upper / 2
    }
  }

  /// The least number that some percent of all don't exceed, by nearest rank: that at place ⌈percent·n/100⌉, counted
  /// from 1; nil if there is none.
  mutating func percentile(_ percent: Int) -> Double? {
    numbers.isEmpty ? nil : number(at: max((percent * numbers.count + 99) / 100, 1) - 1)
  }

  /// The number of different values. Numbers, texts and truth values differ, and so do arrays and objects of which the
  /// JSON text does. O(n log n)
  var distinctCount: Int {
    mutating get {
      ValueList.distinctCount(&numbers) { $0 < $1 } + ValueList.distinctCount(&codes) { $0 < $1 }
    }
  }

  private static func distinctCount<Element>(
    _ values: inout [Element], by precedes: (Element, Element) -> Bool
  ) -> Int {
    values.withUnsafeMutableBufferPointer {
      PartialSort.arrange($0, 0..<$0.count, nanoseconds: 3, by: precedes)
    }
    // None precedes one before it, so those differ that follow one which they don't equal.
    return zip(values, values.dropFirst()).reduce(min(values.count, 1)) {
      $0 + (precedes($1.0, $1.1) ? 1 : 0)
    }
  }
}
