import Threading

/// True if a comparison of two computed numbers is.
struct ArithmeticTerm: SlowTerm {
  let left: NumberExpression
  let comparison: FilterExpression.Comparison
  let right: NumberExpression

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    let count = candidates.extent
    Interruption.poll((1 + left.operationCount + right.operationCount) * count * 5)
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: 128) { numbers in
      guard let a = numbers.baseAddress else { return 0 }
      let b = a + 64
      left.write(from: ordinal, count: count, to: a)
      right.write(from: ordinal, count: count, to: b)
      return candidates.scanned {
        a[$0] == a[$0] && b[$0] == b[$0]
          && comparison.holds(a[$0] < b[$0] ? -1 : (a[$0] > b[$0] ? 1 : 0))
      }
    }
  }
}
