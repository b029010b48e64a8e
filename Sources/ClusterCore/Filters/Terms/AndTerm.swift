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
