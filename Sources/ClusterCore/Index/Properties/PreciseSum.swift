/// A sum of doubles as if computed with three times their precision and rounded once. It doesn't
/// depend on the order of the terms unless they cancel each other out over more than 150 bits.
///
/// This is the cascaded compensated summation SumK with K = 3 of Ogita, Rump and Oishi, "Accurate
/// sum and dot product", 2005.
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

  /// Returns the rounded sum and its exact error.
  @inline(__always)
  private static func twoSum(_ a: Double, _ b: Double) -> (sum: Double, error: Double) {
    let sum = a + b
    let part = sum - a
    return (sum, (a - (sum - part)) + (b - part))
  }

  /// The sum, infinite if it overflows.
  var value: Double {
    guard high.isFinite else { return high }
    let (second, third) = PreciseSum.twoSum(middle, low)
    let (first, rest) = PreciseSum.twoSum(high, second)
    let (next, last) = PreciseSum.twoSum(rest, third)
    let (sum, error) = PreciseSum.twoSum(first, next)
    // Half a unit in the last place was rounded to even: what is left says which way is right.
    if error != 0, last != 0, (error < 0) == (last < 0) {
      let rounded = sum + 2 * error
      if rounded - sum == 2 * error { return rounded }
    }
    return sum
  }
}
