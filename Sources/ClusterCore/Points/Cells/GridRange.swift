/// A rectangle of whole cells. Columns wrap around the world without repeating; rows end at the
/// world's edges.
public struct GridRange: Sendable {
  /// The grid of the cells.
  public let grid: CellGrid
  /// The westernmost column, 0..<cellsPerWorld; 0 if all columns are covered.
  public let firstColumn: Int
  /// The number of columns, at most cellsPerWorld.
  public let columnCount: Int
  /// The rows; empty if the rectangle lies outside the world.
  public let rows: Range<Int>
}

extension GridRange {
  /// Creates the range of the cells that cover a rectangle. A rectangle without width or height is
  /// covered by the cells that hold it.
  public init(grid: CellGrid, covering rect: MapRect) {
    self.grid = grid
    let size = grid.cellMapSize
    let total = Double(grid.cellsPerWorld)
    let west = (rect.x / size).rounded(.down)
    let east = ((rect.x + rect.width) / size).rounded(.up) - 1
    let columns = max(1, east - west + 1)
    if columns >= total {
      (firstColumn, columnCount) = (0, grid.cellsPerWorld)
    } else {
      let start = west.truncatingRemainder(dividingBy: total)
      (firstColumn, columnCount) = (Int(start < 0 ? start + total : start), Int(columns))
    }
    rows = GridRange.rows(grid, top: rect.y, height: rect.height)
  }

  private static func rows(_ grid: CellGrid, top: Double, height: Double) -> Range<Int> {
    let size = grid.cellMapSize
    let total = Double(grid.cellsPerWorld)
    if height == 0 {
      guard (0...WebMercator.worldSize).contains(top) else { return 0..<0 }
      let row = grid.cell(of: top)
      return row..<row + 1
    }
    let first = (top / size).rounded(.down)
    let last = ((top + height) / size).rounded(.up) - 1
    guard last >= 0, first < total else { return 0..<0 }
    return Int(max(first, 0))..<Int(min(max(last, first), total - 1)) + 1
  }

  /// Creates a range of one cell.
  init(grid: CellGrid, only cell: CellPosition) {
    self.init(
      grid: grid, firstColumn: cell.column, columnCount: 1, rows: cell.row..<cell.row + 1)
  }

  /// Creates the range of the cells that hold bounds, which must not cross the antimeridian.
  init(grid: CellGrid, holding bounds: GeoBounds) {
    self.grid = grid
    firstColumn = grid.cell(of: WebMercator.x(longitude: bounds.west))
    columnCount = grid.cell(of: WebMercator.x(longitude: bounds.east)) - firstColumn + 1
    let top = grid.cell(of: WebMercator.y(latitude: bounds.north))
    rows = top..<grid.cell(of: WebMercator.y(latitude: bounds.south)) + 1
  }

  /// The number of cells.
  public var count: Double { Double(columnCount) * Double(rows.count) }

  /// The rectangle of all cells in map points. x is within the world; x + width may exceed its width.
  public var mapRect: MapRect {
    let size = grid.cellMapSize
    let all = columnCount == grid.cellsPerWorld
    return MapRect(
      x: all ? 0 : Double(firstColumn) * size, y: Double(rows.lowerBound) * size,
      width: all ? WebMercator.worldSize : Double(columnCount) * size,
      height: rows.count == grid.cellsPerWorld
        ? WebMercator.worldSize : Double(rows.count) * size)
  }

  /// The columns in ascending order: one range, or two where they cross the antimeridian.
  var columnRanges: [Range<Int>] {
    columnsPastAntimeridian.isEmpty
      ? [columnsToAntimeridian] : [columnsPastAntimeridian, columnsToAntimeridian]
  }

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

  /// The cells in some of the rows and of the columns, given by their offsets from the first one.
  public func part(offsets: Range<Int>, rows: Range<Int>) -> GridRange {
    let first = firstColumn + offsets.lowerBound
    return GridRange(
      grid: grid, firstColumn: first < grid.cellsPerWorld ? first : first - grid.cellsPerWorld,
      columnCount: offsets.count, rows: rows)
  }

  /// Whether the range contains a cell.
  public func contains(_ cell: CellPosition) -> Bool {
    rows.contains(cell.row) && offset(ofColumn: cell.column) < columnCount
  }

  /// All cells, ordered by row and column.
  ///
  /// - Complexity: O(cells).
  public var positions: [CellPosition] {
    rows.flatMap { row in
      columnRanges.joined().map { CellPosition(column: $0, row: row) }
    }
  }

  /// The change that lets at most `limit` cells cover the same rectangle, as part of a sentence: a
  /// larger cell size, or a lower zoom if no valid cell size is large enough.
  ///
  /// - Parameter slack: by how much more the zoom must become lower than that of the grid.
  func remedy(limit: Int, cellSize: Double, slack: Double) -> String {
    // A rectangle touches up to two more cells on each axis than fit into it.
    func fits(_ factor: Double) -> Bool {
      let columns = (Double(columnCount) / factor).rounded(.up) + 2
      let rows = (Double(rows.count) / factor).rounded(.up) + 2
      return columns * rows <= Double(limit)
    }
    guard limit >= 9 else { return "a smaller rect" }
    var factor = 1.1
    while !fits(factor) { factor *= 1.1 }
    let size = (cellSize * factor).rounded(.up)
    guard size > 2048 else { return "a cellSize of \(Int(size))" }
    return "a zoom lower by \(Int((logarithm2(factor) + slack).rounded(.up)))"
  }
}
