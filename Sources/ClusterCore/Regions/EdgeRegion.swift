/// The features whose positions are on the edges of a box: those that its bounds come from.
struct EdgeRegion: IndexRegion {
  let box: PositionBox

  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    let other = view.nodes[node].box
    let columns = other.minX...other.maxX
    let rows = other.minY...other.maxY
    let isNear =
      columns.contains(box.minX) || columns.contains(box.maxX) || rows.contains(box.minY)
      || rows.contains(box.maxY)
    return isNear ? .partial : .outside
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    touches(PositionBox(view.positions[place]))
  }

  /// Whether an edge of another box is on the same edge of this one.
  func touches(_ other: PositionBox) -> Bool {
    other.minX == box.minX || other.maxX == box.maxX || other.minY == box.minY
      || other.maxY == box.maxY
  }
}
