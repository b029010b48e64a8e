/// One place, or all but a few.
struct OrdinalRegion: IndexRegion {
  let excluded: OrdinalSet
  let only: Int?

  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    let points = view.points(of: node)
    if let only { return points.contains(only) ? .partial : .outside }
    return excluded.intersects(points) ? .partial : .inside
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    only.map { $0 == place } ?? !excluded.contains(place)
  }
}
