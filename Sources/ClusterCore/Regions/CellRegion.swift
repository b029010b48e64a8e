/// The features of one cell.
struct CellRegion: IndexRegion {
  let grid: CellGrid
  let cell: CellPosition

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.nodes[node].box
    let west = grid.cells(ofStep: box.minX)
    let east = grid.cells(ofStep: box.maxX)
    if east.last < cell.column || west.first > cell.column { return .outside }
    let north = grid.cells(ofStep: box.minY)
    let south = grid.cells(ofStep: box.maxY)
    if south.last < cell.row || north.first > cell.row { return .outside }
    let inside =
      west.first == cell.column && east.last == cell.column && north.first == cell.row
      && south.last == cell.row
    return inside ? .inside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    grid.cell(of: ordinal, in: pointers) == cell
  }
}
