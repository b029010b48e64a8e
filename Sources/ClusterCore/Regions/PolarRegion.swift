/// The features on the world's northern and southern edges.
struct PolarRegion: IndexRegion {
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.nodes[node].box
    if !box.isPolar { return .outside }
    return box.maxY == 0 || box.minY == .max ? .inside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    let y = pointers.positions[ordinal].y
    return y == 0 || y == .max
  }
}
