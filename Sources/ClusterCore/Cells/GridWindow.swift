import CVectors

/// A rectangle of cells that doesn't cross the antimeridian, and quick tests of what lies in it.
struct GridWindow {
  private let grid: CellGrid
  private let columns: Range<Int>
  private let rows: Range<Int>
  // The position steps that the cells can hold, generous by a step.
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

  /// Whether the feature at a place is in one of the cells.
  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    guard touches(PositionBox(view.positions[place])) else { return false }
    let cell = grid.cell(of: place, in: view)
    return columns.contains(cell.column) && rows.contains(cell.row)
  }

  /// The cells that the points of a box can be in.
  struct Block: BitwiseCopyable {
    var first: CellPosition
    var last: CellPosition
    /// Whether all of them are in the window.
    var isInWindow: Bool

    @inline(__always)
    var isOneCell: Bool { first == last }
  }

  /// The cells of a box; nil when none of them is in the window.
  @inline(__always)
  func block(of box: PositionBox) -> Block? {
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
    return Block(first: first, last: last, isInWindow: isInWindow)
  }

  /// The window as ``Vectors/look(at:count:window:cells:)`` takes it.
  var forVectors: cvectors_window {
    cvectors_window(
      cells_per_world: UInt32(truncatingIfNeeded: grid.cellsPerWorld),
      quick_start: grid.quickStart, quick_end: grid.quickEnd,
      first_column: UInt32(clamping: columns.lowerBound),
      last_column: UInt32(clamping: columns.upperBound - 1),
      first_row: UInt32(clamping: rows.lowerBound),
      last_row: UInt32(clamping: rows.upperBound - 1))
  }

  /// The steps at which the last column and the last row of a block begin, within one step.
  struct Lines {
    var x: Int
    var y: Int
  }

  @inline(__always)
  func lines(in block: Block) -> Lines {
    let stepsPerCell = grid.cellMapSize * Position.stepsPerMapPoint
    return Lines(
      x: Int(Double(block.last.column) * stepsPerCell),
      y: Int(Double(block.last.row) * stepsPerCell))
  }

  /// The cell of a point that is in one of a block's; nil when it is not in the window.
  @inline(__always)
  func cell(
    of place: Int, among block: Block, _ lines: Lines, in features: BlockPointers,
    _ view: IndexPointers
  ) -> CellPosition? {
    let position = features.positions[place]
    let coordinates = view.coordinates
    let column = cell(Int(position.x), block.first.column, block.last.column, line: lines.x) {
      WebMercator.x(longitude: coordinates[place].foldedLongitude)
    }
    let row = cell(Int(position.y), block.first.row, block.last.row, line: lines.y) {
      WebMercator.y(latitude: coordinates[place].latitude)
    }
    guard block.isInWindow || (columns.contains(column) && rows.contains(row)) else { return nil }
    return CellPosition(column: column, row: row)
  }

  /// The cell of a step between a first and a last one. Most blocks are one or two cells wide, where
  /// a comparison with the line between them decides, unless the step is beside it.
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
