/// The features of one location that lie in one cell.
struct LocationRegion: IndexRegion {
  let cell: CellRegion
  let location: Location

  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    let box = view.nodes[node].box
    if box.maxX >> 9 < location.column || box.minX >> 9 > location.column
      || box.maxY >> 9 < location.row || box.minY >> 9 > location.row
    {
      return .outside
    }
    return box.isOneLocation ? cell.coverage(of: node, in: view) : .partial
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    view.positions[place].location == location && cell.contains(place, in: view)
  }
}
