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
}
