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
  /// stands for the feature `ordinal + i`. One call for a block is less work than one for each word.
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

/// A term that is better evaluated after others.
protocol SlowTerm: FilterTerm {}

extension SlowTerm {
  var isSlow: Bool { true }
}

/// Always true or always false.
struct ConstantTerm: FilterTerm {
  let value: Bool

  var constant: Bool? { value }

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 { value ? candidates : 0 }

  func coverage(ofBlock number: Int) -> Coverage { value ? .inside : .outside }
}

/// True if all of its terms are.
struct AndTerm: SlowTerm {
  let terms: [any FilterTerm]

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    var rest = candidates
    for term in terms {
      rest = term.mask(from: ordinal, among: rest)
      if rest == 0 { break }
    }
    return rest
  }

  func coverage(ofBlock number: Int) -> Coverage {
    var result = Coverage.inside
    for term in terms {
      switch term.coverage(ofBlock: number) {
      case .outside: return .outside
      case .partial: result = .partial
      case .inside: break
      }
    }
    return result
  }

  func narrow(_ words: UnsafeMutablePointer<UInt64>, from ordinal: Int, count: Int) {
    for term in terms { term.narrow(words, from: ordinal, count: count) }
  }
}

/// True if any of its terms is.
struct OrTerm: SlowTerm {
  let terms: [any FilterTerm]

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    var rest = candidates
    for term in terms {
      rest &= ~term.mask(from: ordinal, among: rest)
      if rest == 0 { break }
    }
    return candidates & ~rest
  }

  func coverage(ofBlock number: Int) -> Coverage {
    var result = Coverage.outside
    for term in terms {
      switch term.coverage(ofBlock: number) {
      case .inside: return .inside
      case .partial: result = .partial
      case .outside: break
      }
    }
    return result
  }
}

/// True where a term that is never unknown is false.
struct ComplementTerm: SlowTerm {
  let term: any FilterTerm

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    candidates & ~term.mask(from: ordinal, among: candidates)
  }

  func coverage(ofBlock number: Int) -> Coverage {
    switch term.coverage(ofBlock: number) {
    case .inside: .outside
    case .outside: .inside
    case .partial: .partial
    }
  }
}
