/// What lies in both of two regions.
struct IntersectionRegion<A: IndexRegion, B: IndexRegion>: IndexRegion {
  let a: A
  let b: B

  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    switch (a.coverage(of: node, in: view), b.coverage(of: node, in: view)) {
    case (.outside, _), (_, .outside): .outside
    case (.inside, .inside): .inside
    default: .partial
    }
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    a.contains(place, in: view) && b.contains(place, in: view)
  }
}
