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
