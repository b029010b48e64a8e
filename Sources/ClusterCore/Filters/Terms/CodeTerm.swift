/// True if the value is a given boolean or string.
struct CodeTerm: FilterTerm {
  let column: PropertyColumn
  let code: PropertyColumn.Code

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let codes = column.codes[around: ordinal] else { return 0 }
    let (values, code) = (codes + ordinal, self.code)
    return candidates.scanned { values[$0] == code }
  }

  func coverage(ofBlock number: Int) -> Coverage {
    column.chunks[number].codes == nil ? .outside : .partial
  }
}
