/// The world-anchored grid of square cells: ``cellsPerWorld`` of them on each axis.
///
/// A point belongs to column `floor(x/cellMapSize)` and row `floor(y/cellMapSize)`, clamped to the
/// last one, evaluated in doubles exactly as written: a cell includes its western and northern edges
/// but not its eastern and southern ones, and every point is in exactly one cell.
public struct CellGrid: Hashable, Sendable {
  /// The number of cells on each axis of the world, at least 1.
  public let cellsPerWorld: Int
  /// The width and height of a cell in map points.
  public let cellMapSize: Double
  // The fractions of a cell, in units of 2^−32, between which a whole step certainly lies within the
  // cell, for the fast path of ``cells(ofStep:)``. Empty for grids too fine for that path.
  let quickStart: UInt32
  let quickEnd: UInt32

  /// Creates a grid with a number of cells on each axis, at least 1.
  public init(cellsPerWorld: Int) {
    self.cellsPerWorld = max(1, cellsPerWorld)
    cellMapSize = WebMercator.worldSize / Double(self.cellsPerWorld)
    if self.cellsPerWorld < 1 << 31 {
      // The error of the division in doubles is at most 2^−51 of the cell's number, far less.
      let margin = 16 + self.cellsPerWorld >> 16
      quickStart = UInt32(margin)
      quickEnd = UInt32(max((1 << 32) - self.cellsPerWorld - margin, 0))
    } else {
      (quickStart, quickEnd) = (0, 0)
    }
  }

  /// Creates the grid of a scale: `max(1, floor(256·2^zoom/cellSize + 1e-6))` cells on each axis.
  ///
  /// - Parameters:
  ///   - zoom: −10…30; the world is 256 points wide at 0.
  ///   - cellSize: the cell's width in points, at least 1.
  public init(zoom: Double, cellSize: Double) {
    let cells = 256 * exponential2(zoom) / cellSize + 1e-6
    // At most 256·2^30 for valid arguments; clamped so that the conversion can't trap.
    self.init(cellsPerWorld: Int(min(max(cells, 1), 0x1p52).rounded(.down)))
  }

  /// The column of an x, or the row of a y, in map points within the world.
  @inline(__always)
  public func cell(of mapPoints: Double) -> Int {
    // Map points aren't negative, so truncation rounds down and saves a call to floor().
    min(Int(mapPoints / cellMapSize), cellsPerWorld - 1)
  }

  /// The first and the last cell that a point within a position step can be in. They differ only
  /// for steps that a grid line crosses.
  @inline(__always)
  func cells(ofStep step: UInt32) -> (first: Int, last: Int) {
    // Step s begins exactly s·N / 2^32 cells from the edge of a world of N cells. Away from grid lines
    // the upper half of s·N is the cell; near them the defining division decides.
    let parts = UInt64(step) &* UInt64(truncatingIfNeeded: cellsPerWorld)
    let part = UInt32(truncatingIfNeeded: parts)
    if part > quickStart && part < quickEnd {
      let cell = Int(truncatingIfNeeded: parts >> 32)
      return (cell, cell)
    }
    let low = Double(step) / Position.stepsPerMapPoint
    let high = ((Double(step) + 1) / Position.stepsPerMapPoint).nextDown
    return (cell(of: low), cell(of: high))
  }

  /// The cell of a point on one axis, given its step and, for steps on a grid line, its exact value.
  @inline(__always)
  func cell(ofStep step: UInt32, exactly value: () -> Double) -> Int {
    let (first, last) = cells(ofStep: step)
    return first == last ? first : cell(of: value())
  }

  /// The column and row of a feature.
  @inline(__always)
  func cell(of ordinal: Int, in pointers: IndexPointers) -> CellPosition {
    let position = pointers.position(ordinal)
    return CellPosition(
      column: cell(ofStep: position.x) {
        WebMercator.x(longitude: pointers.coordinate(ordinal).foldedLongitude)
      },
      row: cell(ofStep: position.y) {
        WebMercator.y(latitude: pointers.coordinate(ordinal).latitude)
      })
  }

  /// The cell that holds a coordinate, whose longitude may be beyond ±180.
  func cell(of coordinate: Coordinate) -> CellPosition {
    let longitude = Geodesy.normalisedLongitude(coordinate.longitude)
    return CellPosition(
      column: cell(of: WebMercator.x(longitude: longitude)),
      row: cell(of: WebMercator.y(latitude: coordinate.latitude)))
  }

  /// The edges of a cell in degrees.
  public func bounds(of cell: CellPosition) -> GeoBounds {
    GeoBounds(
      west: WebMercator.longitude(x: Double(cell.column) * cellMapSize),
      south: WebMercator.latitude(y: Double(cell.row + 1) * cellMapSize),
      east: WebMercator.longitude(x: Double(cell.column + 1) * cellMapSize),
      north: WebMercator.latitude(y: Double(cell.row) * cellMapSize))
  }

  /// The centre of a cell in map points.
  func center(of cell: CellPosition) -> MapPoint {
    MapPoint(
      x: (Double(cell.column) + 0.5) * cellMapSize, y: (Double(cell.row) + 0.5) * cellMapSize)
  }

  /// The centre of a cell, rounded to 1e-8°.
  func centerCoordinate(of cell: CellPosition) -> Coordinate {
    let center = center(of: cell)
    return Coordinate(
      latitude: (WebMercator.latitude(y: center.y) * 1e8).rounded() / 1e8,
      longitude: (WebMercator.longitude(x: center.x) * 1e8).rounded() / 1e8)
  }
}

/// A cell of a ``CellGrid``.
public struct CellPosition: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The column, counted eastwards from 0 at 180° W.
  public var column: Int
  /// The row, counted southwards from 0 at the northern edge.
  public var row: Int

  /// Creates a cell position.
  public init(column: Int, row: Int) {
    self.column = column
    self.row = row
  }

  /// Orders cells by row, then column.
  @inline(__always)
  public static func < (a: CellPosition, b: CellPosition) -> Bool {
    a.row != b.row ? a.row < b.row : a.column < b.column
  }
}
