/// The features in both of two regions.
struct IntersectionRegion<A: IndexRegion, B: IndexRegion>: IndexRegion {
  let a: A
  let b: B

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    switch (a.coverage(of: node, in: pointers), b.coverage(of: node, in: pointers)) {
    case (.outside, _), (_, .outside): .outside
    case (.inside, .inside): .inside
    default: .partial
    }
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    a.contains(ordinal, in: pointers) && b.contains(ordinal, in: pointers)
  }
}
