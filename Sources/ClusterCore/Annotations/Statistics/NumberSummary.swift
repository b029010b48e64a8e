import Threading

/// The count, sum, minimum and maximum of a property's numbers over some features, found in one pass.
struct NumberSummary {
  /// The number of features with a number. The other values are meaningless if it is 0.
  private(set) var count = 0
  private(set) var least = Double.infinity
  private(set) var greatest = -Double.infinity
  private var total = PreciseSum()

  var sum: Double { total.value }

  /// - Parameter scale: The factor by which each number is multiplied.
  init(_ column: PropertyColumn, _ runs: [Range<Int>], scale: Double = 1) {
    for run in runs {
      guard let doubles = column.doubles[around: run.lowerBound] else { continue }
      if Cancellation.poll(run.count * 3) { break }
      for ordinal in run {
        // Branchless: NaN, which stands for a missing number, is neither less nor greater.
        let number = doubles[ordinal] * scale
        let isNumber = number == number
        total.add(isNumber ? number : 0)
        count &+= isNumber ? 1 : 0
        least = number < least ? number : least
        greatest = number > greatest ? number : greatest
      }
    }
    withExtendedLifetime(column) {}
  }

  static func weight(of column: PropertyColumn, _ runs: [Range<Int>]) -> Double {
    var total = PreciseSum()
    for run in runs {
      guard let doubles = column.doubles[around: run.lowerBound] else { continue }
      if Cancellation.poll(run.count * 3) { break }
      for ordinal in run { total.add(PropertyColumn.weight(doubles[ordinal])) }
    }
    withExtendedLifetime(column) {}
    return total.value
  }
}
