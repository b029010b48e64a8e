/// True if the value is a number that is one of several, or with `isNegated` none of them.
struct NumberSetTerm: FilterTerm {
  let column: PropertyColumn
  let sorted: [Double]
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles[around: ordinal] else { return 0 }
    return candidates.filtered { bit in
      let value = doubles[ordinal + bit]
      return !value.isNaN && (sorted.sortedIndex(of: value) != nil) != isNegated
    }
  }
}
