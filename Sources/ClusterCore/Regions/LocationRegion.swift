/// The features of one location that are also in one cell.
struct LocationRegion: IndexRegion {
  let cell: CellRegion
  let location: Location

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.nodes[node].box
    if box.maxX >> 9 < location.column || box.minX >> 9 > location.column
      || box.maxY >> 9 < location.row || box.minY >> 9 > location.row
    {
      return .outside
    }
    return box.isOneLocation ? cell.coverage(of: node, in: pointers) : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    pointers.positions[ordinal].location == location && cell.contains(ordinal, in: pointers)
  }
}
