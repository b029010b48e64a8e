import CVectors

/// A rectangle of cells that doesn't cross the antimeridian, with fast tests of what lies in it.
struct GridWindow {
  private let grid: CellGrid
  private let columns: Range<Int>
  private let rows: Range<Int>
  // The outermost position steps that the cells can hold, widened by a step.
  private let west: UInt32
  private let east: UInt32
  private let north: UInt32
  private let south: UInt32

  init(_ cells: GridRange, _ columns: Range<Int>) {
    grid = cells.grid
    self.columns = columns
    rows = cells.rows
    (west, east) = GridWindow.steps(columns, grid)
    (north, south) = GridWindow.steps(rows, grid)
  }

  private static func steps(_ cells: Range<Int>, _ grid: CellGrid) -> (UInt32, UInt32) {
    let stepsPerCell = grid.cellMapSize * Position.stepsPerMapPoint
    let low = Double(cells.lowerBound) * stepsPerCell - 1
    let high = Double(cells.upperBound) * stepsPerCell + 2
    return (UInt32(max(low, 0)), UInt32(min(high, 4_294_967_295)))
  }

  @inline(__always)
  func touches(_ box: PositionBox) -> Bool {
    box.maxX >= west && box.minX <= east && box.maxY >= north && box.minY <= south
  }

  /// Whether a feature is in one of the cells.
  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    guard touches(PositionBox(pointers.position(ordinal))) else { return false }
    let cell = grid.cell(of: ordinal, in: pointers)
    return columns.contains(cell.column) && rows.contains(cell.row)
  }

  /// The cells that the points of a box may be in.
  struct CellSpan: BitwiseCopyable {
    var first: CellPosition
    var last: CellPosition
    /// Whether all cells are in the window.
    var isInWindow: Bool

    @inline(__always)
    var isOneCell: Bool { first == last }
  }

  /// The cells that the points of a box may be in; nil if none of them is in the window.
  @inline(__always)
  func span(of box: PositionBox) -> CellSpan? {
    let first = CellPosition(
      column: grid.cells(ofStep: box.minX).first, row: grid.cells(ofStep: box.minY).first)
    let last = CellPosition(
      column: grid.cells(ofStep: box.maxX).last, row: grid.cells(ofStep: box.maxY).last)
    guard
      last.column >= columns.lowerBound, first.column < columns.upperBound,
      last.row >= rows.lowerBound, first.row < rows.upperBound
    else { return nil }
    let isInWindow =
      first.column >= columns.lowerBound && last.column < columns.upperBound
      && first.row >= rows.lowerBound && last.row < rows.upperBound
    return CellSpan(first: first, last: last, isInWindow: isInWindow)
  }

  /// The window as the functions of ``Vectors`` take it.
  var forVectors: cvectors_window {
    cvectors_window(
      cells_per_world: UInt32(truncatingIfNeeded: grid.cellsPerWorld),
      quick_start: grid.quickStart, quick_end: grid.quickEnd,
      first_column: UInt32(clamping: columns.lowerBound),
      last_column: UInt32(clamping: columns.upperBound - 1),
      first_row: UInt32(clamping: rows.lowerBound),
      last_row: UInt32(clamping: rows.upperBound - 1))
  }

  /// The steps at which the last column and the last row of a span begin, off by at most one.
  struct Lines {
    var x: Int
    var y: Int
  }

  @inline(__always)
  func lines(in span: CellSpan) -> Lines {
    let stepsPerCell = grid.cellMapSize * Position.stepsPerMapPoint
    return Lines(
      x: Int(Double(span.last.column) * stepsPerCell),
      y: Int(Double(span.last.row) * stepsPerCell))
  }

  /// The cell of a feature within a span; nil if that cell is not in the window.
  @inline(__always)
  func cell(
    of ordinal: Int, among span: CellSpan, _ lines: Lines, in features: BlockPointers,
    _ pointers: IndexPointers
  ) -> CellPosition? {
    let position = features.positions[ordinal]
    let column = cell(Int(position.x), span.first.column, span.last.column, line: lines.x) {
      WebMercator.x(longitude: pointers.coordinate(ordinal).foldedLongitude)
    }
    let row = cell(Int(position.y), span.first.row, span.last.row, line: lines.y) {
      WebMercator.y(latitude: pointers.coordinate(ordinal).latitude)
    }
    guard span.isInWindow || (columns.contains(column) && rows.contains(row)) else { return nil }
    return CellPosition(column: column, row: row)
  }

  /// The cell of a step, which lies between a first and a last one. Most spans are one or two cells
  /// wide, where a comparison with the line between the cells decides for steps not beside it.
  @inline(__always)
  private func cell(
    _ step: Int, _ first: Int, _ last: Int, line: Int, exactly value: () -> Double
  ) -> Int {
    if first == last { return first }
    if last - first == 1 {
      if step < line - 1 { return first }
      if step > line + 1 { return last }
    }
    return grid.cell(ofStep: UInt32(step), exactly: value)
  }
}
