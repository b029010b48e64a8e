/// A part of a bound filter, which is evaluated for up to 64 features at a time.
protocol FilterTerm: Sendable {
  /// Whether it comes after others of a conjunction or disjunction, which may decide without it.
  var isSlow: Bool { get }
  /// The value of a term that is the same for all features; nil of others.
  var constant: Bool? { get }
  /// Returns the candidates for which the term is true. Bit i stands for the feature `ordinal + i`.
  /// There is at least one candidate, and all are in the same block.
  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64
  /// Returns whether the term is true for all, none or some of the features of a block. `.partial` is always a
  /// correct answer.
  func coverage(ofBlock number: Int) -> Coverage
  /// Clears the bits of those of `count` features of a block for which the term isn't true. Bit i of the words
  /// stands for the feature `ordinal + i`.
  func narrow(_ words: UnsafeMutablePointer<UInt64>, from ordinal: Int, count: Int)
}

extension FilterTerm {
  var isSlow: Bool { false }

  var constant: Bool? { nil }

  func coverage(ofBlock number: Int) -> Coverage { .partial }

  func narrow(_ words: UnsafeMutablePointer<UInt64>, from ordinal: Int, count: Int) {
    for word in 0..<(count + 63) / 64 where words[word] != 0 {
      words[word] = mask(from: ordinal + 64 * word, among: words[word])
    }
  }
}
