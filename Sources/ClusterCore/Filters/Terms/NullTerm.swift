/// True if the value is missing, or with `isNegated` if it isn't.
struct NullTerm: FilterTerm {
  let column: PropertyColumn
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    var missing: UInt64 = candidates
    if let codes = column.codes[around: ordinal] {
      let values = codes + ordinal
      missing = candidates.scanned { values[$0] == PropertyColumn.missing }
    } else if let doubles = column.doubles[around: ordinal] {
      let values = doubles + ordinal
      missing = candidates.scanned { values[$0] != values[$0] }
    }
    return isNegated ? candidates & ~missing : missing
  }

  func coverage(ofBlock number: Int) -> Coverage {
    let chunk = column.chunks[number]
    if chunk.codes != nil { return .partial }
    if chunk.doubles == nil { return isNegated ? .outside : .inside }
    return chunk.isNumeric ? isNegated ? .inside : .outside : .partial
  }
}
