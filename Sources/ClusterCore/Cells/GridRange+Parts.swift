extension GridRange {
  /// The columns east of the antimeridian, from 0 on; empty unless the range crosses it.
  public var columnsPastAntimeridian: Range<Int> {
    0..<max(firstColumn + columnCount - grid.cellsPerWorld, 0)
  }

  /// The columns from the first one to the antimeridian.
  public var columnsToAntimeridian: Range<Int> {
    firstColumn..<min(firstColumn + columnCount, grid.cellsPerWorld)
  }

  /// The number of columns from the first one eastwards to a column, around the world.
  @inline(__always)
  public func offset(ofColumn column: Int) -> Int {
    column < firstColumn ? column - firstColumn + grid.cellsPerWorld : column - firstColumn
  }

  /// The cells in some of the columns, given by their offsets from the first one, and some of the
  /// rows.
  public func part(offsets: Range<Int>, rows: Range<Int>) -> GridRange {
    let first = firstColumn + offsets.lowerBound
    return GridRange(
      grid: grid, firstColumn: first < grid.cellsPerWorld ? first : first - grid.cellsPerWorld,
      columnCount: offsets.count, rows: rows)
  }

  private init(grid: CellGrid, firstColumn: Int, columnCount: Int, rows: Range<Int>) {
    self.grid = grid
    (self.firstColumn, self.columnCount, self.rows) = (firstColumn, columnCount, rows)
  }
}
