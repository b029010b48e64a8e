/// The features on the world's northern and southern edges.
struct PolarRegion: IndexRegion {
  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    let box = view.nodes[node].box
    if !box.isPolar { return .outside }
    return box.maxY == 0 || box.minY == .max ? .inside : .partial
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    let y = view.positions[place].y
    return y == 0 || y == .max
  }
}
