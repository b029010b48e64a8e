/// The features of a range of cells.
struct CellsRegion: IndexRegion {
  private let windows: [GridWindow]

  init(_ cells: GridRange) {
    windows =
      cells.rows.isEmpty
      ? [] : cells.columnRanges.filter { !$0.isEmpty }.map { GridWindow(cells, $0) }
  }

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.nodes[node].box
    var touched = false
    for window in windows where window.touches(box) {
      guard let block = window.block(of: box) else { continue }
      if block.isInWindow { return .inside }
      touched = true
    }
    return touched ? .partial : .outside
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    windows.contains { $0.contains(ordinal, in: pointers) }
  }
}
