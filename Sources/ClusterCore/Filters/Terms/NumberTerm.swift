/// True if the value is a number within a closed range, or with `isNegated` outside of it.
struct NumberTerm: FilterTerm {
  let column: PropertyColumn
  let low: Double
  let high: Double
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles[around: ordinal] else { return 0 }
    let (values, low, high) = (doubles + ordinal, self.low, self.high)
    // The comparisons are false for NaN.
    return isNegated
      ? candidates.scanned { values[$0] < low || values[$0] > high }
      : candidates.scanned { values[$0] >= low && values[$0] <= high }
  }
}
