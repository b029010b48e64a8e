/// The features at one position.
struct PositionRegion: IndexRegion {
  let position: Position

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.nodes[node].box
    if box.minX > position.x || box.maxX < position.x || box.minY > position.y
      || box.maxY < position.y
    {
      return .outside
    }
    return box.minX == box.maxX && box.minY == box.maxY ? .inside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    pointers.positions[ordinal] == position
  }
}
