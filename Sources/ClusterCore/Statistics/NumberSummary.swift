/// What there is to say of the numbers of some features, found in one pass.
struct NumberSummary {
  /// How many are numbers; if none is, the rest means nothing.
  private(set) var count = 0
  private(set) var least = Double.infinity
  private(set) var greatest = -Double.infinity
  private var total = PreciseSum()

  var sum: Double { total.value }

  /// - Parameter scale: what each number is multiplied by.
  init(_ column: PropertyColumn, _ runs: [Range<Int>], scale: Double = 1) {
    for run in runs {
      guard let doubles = column.doubles(around: run.lowerBound) else { continue }
      for place in run {
        // Without a branch: NaN, which stands for no number, is neither less nor greater.
        let number = doubles[place] * scale
        let isNumber = number == number
        total.add(isNumber ? number : 0)
        count &+= isNumber ? 1 : 0
        least = number < least ? number : least
        greatest = number > greatest ? number : greatest
      }
    }
    withExtendedLifetime(column) {}
  }

  /// The sum of the weights.
  static func weight(of column: PropertyColumn, _ runs: [Range<Int>]) -> Double {
    var total = PreciseSum()
    for run in runs {
      guard let doubles = column.doubles(around: run.lowerBound) else { continue }
      for place in run { total.add(PropertyColumn.weight(doubles[place])) }
    }
    withExtendedLifetime(column) {}
    return total.value
  }
}
