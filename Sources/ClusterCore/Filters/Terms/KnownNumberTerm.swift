import Threading

/// True if a computed number is known.
struct KnownNumberTerm: SlowTerm {
  let number: NumberExpression

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    let count = candidates.extent
    Interruption.poll((1 + number.operationCount) * count * 5)
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: 64) { numbers in
      guard let numbers = numbers.baseAddress else { return 0 }
      number.write(from: ordinal, count: count, to: numbers)
      return candidates.scanned { numbers[$0] == numbers[$0] }
    }
  }
}
