extension GridRange {
  /// Creates the range of the cells of a run.
  init(_ run: CellSet.Run, of grid: CellGrid) {
    self.grid = grid
    (firstColumn, columnCount) = (run.columns.lowerBound, run.columns.count)
    rows = run.row..<run.row + 1
  }
}
