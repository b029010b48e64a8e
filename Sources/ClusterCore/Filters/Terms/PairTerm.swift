/// True if a comparison of two properties of the feature is.
struct PairTerm: FilterTerm {
  let left: PropertyColumn
  let comparison: FilterExpression.Comparison
  let right: PropertyColumn

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    candidates.filtered { bit in order(at: ordinal + bit).map { comparison.holds($0) } ?? false }
  }

  private func order(at ordinal: Int) -> Int? {
    switch (left.value(at: ordinal), right.value(at: ordinal)) {
    case (.number(let a), .number(let b)): a < b ? -1 : (a > b ? 1 : 0)
    case (.string(let a), .string(let b)): ByteOrder.compare(a, b)
    case (.bool(let a), .bool(let b)): (a ? 1 : 0) - (b ? 1 : 0)
    default: nil
    }
  }
}
