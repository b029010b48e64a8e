import CVectors

/// True if the value is a number within a closed range, or with `isNegated` outside of it.
struct NumberTerm: FilterTerm {
  let column: PropertyColumn
  let low: Double
  let high: Double
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles[around: ordinal] else { return 0 }
    let (values, count) = (doubles + ordinal, candidates.extent)
    return candidates
      & (isNegated
        ? cvectors_apart(values, values, count, low, high)
        : cvectors_within(values, count, low, high))
  }

  func coverage(ofBlock number: Int) -> Coverage {
    let zone = column.zones[number]
    if zone.isEmpty { return .outside }
    // A condition that all numbers meet is met by all features if each has a number.
    if zone.least >= low && zone.greatest <= high {
      return isNegated ? .outside : zone.isNumeric ? .inside : .partial
    }
    if zone.greatest < low || zone.least > high {
      return isNegated ? zone.isNumeric ? .inside : .partial : .outside
    }
    return .partial
  }
}
