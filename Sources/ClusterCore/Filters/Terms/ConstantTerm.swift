/// Always true or always false.
struct ConstantTerm: FilterTerm {
  let value: Bool

  var constant: Bool? { value }

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 { value ? candidates : 0 }

  func coverage(ofBlock number: Int) -> Coverage { value ? .inside : .outside }
}
