/// True if the value is a number outside a closed range.
struct NumberOutsideTerm: FilterTerm {
  let column: PropertyColumn
  let low: Double
  let high: Double

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles(around: ordinal) else { return 0 }
    let (values, low, high) = (doubles + ordinal, self.low, self.high)
    return candidates.scanned { values[$0] < low || values[$0] > high }
  }
}
