/// The feature with one ordinal, or all features except a few.
struct OrdinalRegion: IndexRegion {
  let excluded: OrdinalSet
  let only: Int?

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let points = pointers.points(of: node)
    if let only { return points.contains(only) ? .partial : .outside }
    return excluded.intersects(points) ? .partial : .inside
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    only.map { $0 == ordinal } ?? !excluded.contains(ordinal)
  }
}

extension IndexRegion {
  /// The region without some features.
  func without(_ excluded: OrdinalSet) -> IntersectionRegion<Self, OrdinalRegion> {
    IntersectionRegion(a: self, b: OrdinalRegion(excluded: excluded, only: nil))
  }
}
