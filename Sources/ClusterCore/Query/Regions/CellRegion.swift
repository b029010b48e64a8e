/// The features of one cell, or those of them that are at one location.
struct CellRegion: IndexRegion {
  let grid: CellGrid
  let cell: CellPosition
  /// The location; nil for the whole cell.
  var location: Location?

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.node(node).box
    if let location {
      if box.maxX >> 9 < location.column || box.minX >> 9 > location.column
        || box.maxY >> 9 < location.row || box.minY >> 9 > location.row
      {
        return .outside
      }
      if !box.isOneLocation { return .partial }
    }
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
    if let location, pointers.position(ordinal).location != location { return false }
    return grid.cell(of: ordinal, in: pointers) == cell
  }
}

/// The features of a range of cells.
struct CellsRegion: IndexRegion {
  private let windows: [GridWindow]

  init(_ cells: GridRange) {
    windows =
      cells.rows.isEmpty
      ? [] : cells.columnRanges.filter { !$0.isEmpty }.map { GridWindow(cells, $0) }
  }

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.node(node).box
    var touched = false
    for window in windows where window.touches(box) {
      guard let span = window.span(of: box) else { continue }
      if span.isInWindow { return .inside }
      touched = true
    }
    return touched ? .partial : .outside
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    windows.contains { $0.contains(ordinal, in: pointers) }
  }
}
