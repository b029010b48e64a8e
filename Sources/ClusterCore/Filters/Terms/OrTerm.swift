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
