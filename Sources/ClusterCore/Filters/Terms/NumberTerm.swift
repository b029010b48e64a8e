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
    let chunk = column.chunks[number]
    let (least, greatest) = chunk.extent
    if chunk.doubles == nil || least > greatest { return .outside }
    // What holds for all numbers holds for all features where all have one.
    if least >= low && greatest <= high {
      return isNegated ? .outside : chunk.isNumeric ? .inside : .partial
    }
    if greatest < low || least > high {
      return isNegated ? chunk.isNumeric ? .inside : .partial : .outside
    }
    return .partial
  }
}
