import Threading

/// True if a comparison of two properties of the feature is.
struct PairTerm: SlowTerm {
  let left: PropertyColumn
  let comparison: FilterExpression.Comparison
  let right: PropertyColumn
  /// The differences that each side is without, which then is a string.
  var folding: (left: TextFolding, right: TextFolding) = ([], [])

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    candidates.filtered { bit in order(at: ordinal + bit).map { comparison.holds($0) } ?? false }
  }

  private func order(at ordinal: Int) -> Int? {
    let (a, b) = (left.value(at: ordinal), right.value(at: ordinal))
    if !folding.left.isEmpty || !folding.right.isEmpty {
      guard case .string(let a) = a, case .string(let b) = b else { return nil }
      if Cancellation.poll((a.count + b.count) * 50) { return nil }
      let texts = (folding.left.fold(a), folding.right.fold(b))
      return texts.0.withUnsafeBytes { a in
        texts.1.withUnsafeBytes { ByteOrder.compare(a, $0) }
      }
    }
    return switch (a, b) {
    case (.number(let a), .number(let b)): a < b ? -1 : (a > b ? 1 : 0)
    case (.string(let a), .string(let b)): ByteOrder.compare(a, b)
    case (.bool(let a), .bool(let b)): (a ? 1 : 0) - (b ? 1 : 0)
    default: nil
    }
  }
}
