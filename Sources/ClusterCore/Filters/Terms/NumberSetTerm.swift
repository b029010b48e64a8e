/// A number that is one of several, or that is none of them.
struct NumberSetTerm: FilterTerm {
  let column: PropertyColumn
  let sorted: [Double]
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles(around: ordinal) else { return 0 }
    return candidates.filtered { bit in
      let value = doubles[ordinal + bit]
      return !value.isNaN && contains(value) != isNegated
    }
  }

  private func contains(_ value: Double) -> Bool {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == value
  }
}
