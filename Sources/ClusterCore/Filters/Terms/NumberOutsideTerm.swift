/// A number outside of a range.
struct NumberOutsideTerm: FilterTerm {
  let column: PropertyColumn
  let low: Double
  let high: Double

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles(around: place) else { return 0 }
    let (values, low, high) = (doubles + place, self.low, self.high)
    return candidates.scanned { values[$0] < low || values[$0] > high }
  }
}
