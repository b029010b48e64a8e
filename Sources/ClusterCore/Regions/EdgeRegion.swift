/// The features whose positions are on the edges of a box, which determine its exact bounds.
struct EdgeRegion: IndexRegion {
  let box: PositionBox

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let other = pointers.nodes[node].box
    let columns = other.minX...other.maxX
    let rows = other.minY...other.maxY
    let isNear =
      columns.contains(box.minX) || columns.contains(box.maxX) || rows.contains(box.minY)
      || rows.contains(box.maxY)
    return isNear ? .partial : .outside
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    let position = pointers.positions[ordinal]
    return position.x == box.minX || position.x == box.maxX || position.y == box.minY
      || position.y == box.maxY
  }
}
