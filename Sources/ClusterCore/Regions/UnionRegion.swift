/// The features in any of several regions, or all features if there are no regions.
struct UnionRegion<Part: IndexRegion>: IndexRegion {
  let parts: [Part]

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    var union = parts.isEmpty ? Coverage.inside : .outside
    for part in parts {
      switch part.coverage(of: node, in: pointers) {
      case .inside: return .inside
      case .partial: union = .partial
      case .outside: break
      }
    }
    return union
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    parts.isEmpty || parts.contains { $0.contains(ordinal, in: pointers) }
  }
}
