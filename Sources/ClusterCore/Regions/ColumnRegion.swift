/// The features at some steps east of 180° W.
struct ColumnRegion: IndexRegion {
  let x: UInt32

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.nodes[node].box
    if box.minX > x || box.maxX < x { return .outside }
    return box.minX == box.maxX ? .inside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    pointers.positions[ordinal].x == x
  }
}
