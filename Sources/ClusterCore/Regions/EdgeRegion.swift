/// The features of a box whose positions are on its edges, or within some steps of them, which determine its
/// exact bounds. Features beyond the box are in it, too.
struct EdgeRegion: IndexRegion {
  // Positions between these, exclusively, are within the box.
  private let west: Int
  private let north: Int
  private let east: Int
  private let south: Int

  init(box: PositionBox, slack: Int = 0) {
    (west, north) = (Int(box.minX) + slack, Int(box.minY) + slack)
    (east, south) = (Int(box.maxX) - slack, Int(box.maxY) - slack)
  }

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.nodes[node].box
    let isWithin =
      Int(box.minX) > west && Int(box.maxX) < east && Int(box.minY) > north
      && Int(box.maxY) < south
    return isWithin ? .outside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    let position = pointers.positions[ordinal]
    let (x, y) = (Int(position.x), Int(position.y))
    return x <= west || x >= east || y <= north || y >= south
  }
}
