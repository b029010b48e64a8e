/// A sum of doubles as if it were computed with three times their precision, and rounded once: the
/// same in whatever order the terms come, but for terms that cancel each other out over more than 150
/// bits. (The cascaded compensated summation of Ogita, Rump and Oishi, "Accurate sum and dot product",
/// 2005, algorithm SumK with K = 3.)
struct PreciseSum: BitwiseCopyable {
  private var high = 0.0
  private var middle = 0.0
  private var low = 0.0

  @inline(__always)
  mutating func add(_ term: Double) {
    let (sum, error) = PreciseSum.twoSum(high, term)
    high = sum
    let (rest, rounding) = PreciseSum.twoSum(middle, error)
    middle = rest
    low += rounding
  }

  /// A sum, and exactly what it is short of.
  @inline(__always)
  private static func twoSum(_ a: Double, _ b: Double) -> (sum: Double, error: Double) {
    let sum = a + b
    let part = sum - a
    return (sum, (a - (sum - part)) + (b - part))
  }

  /// The sum; infinite where it is beyond the doubles.
  var value: Double { high.isFinite ? high + (middle + low) : high }
}
