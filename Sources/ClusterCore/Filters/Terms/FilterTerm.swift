/// A part of a bound filter, which is evaluated for up to 64 features at a time.
protocol FilterTerm: Sendable {
  /// Returns the candidates for which the term is true. Bit i stands for the feature `ordinal + i`.
  /// There is at least one candidate, and all are in the same block.
  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64
  /// Returns whether the term is true for all, none or some of the features of a block. `.partial` is always a
  /// correct answer.
  func coverage(ofBlock number: Int) -> Coverage
}

extension FilterTerm {
  func coverage(ofBlock number: Int) -> Coverage { .partial }
}
