/// Whether there is a value, or none.
struct NullTerm: FilterTerm {
  let column: PropertyColumn
  let isNegated: Bool

  func mask(from place: Int, among candidates: UInt64) -> UInt64 {
    var missing: UInt64 = candidates
    if let codes = column.codes(around: place) {
      let values = codes + place
      missing = candidates.scanned { values[$0] == PropertyColumn.missing }
    } else if let doubles = column.doubles(around: place) {
      let values = doubles + place
      missing = candidates.scanned { values[$0] != values[$0] }
    }
    return isNegated ? candidates & ~missing : missing
  }
}
