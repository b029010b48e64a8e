extension GridRange {
  /// The columns that a range across the antimeridian has east of it, from 0 on; empty for others.
  public var columnsPastAntimeridian: Range<Int> {
    0..<max(firstColumn + columnCount - grid.cellsPerWorld, 0)
  }

  /// The columns that a range has up to the antimeridian.
  public var columnsToAntimeridian: Range<Int> {
    firstColumn..<min(firstColumn + columnCount, grid.cellsPerWorld)
  }

  /// How far a column is from the first one, counted eastwards and around the world.
  public func offset(ofColumn column: Int) -> Int {
    column < firstColumn ? column - firstColumn + grid.cellsPerWorld : column - firstColumn
  }

  /// A part of the cells: some of the columns, counted from the first one, and some of the rows.
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
