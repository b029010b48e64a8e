/// The world-anchored grid of square cells: ``cellsPerWorld`` of them on each axis.
///
/// A point belongs to column `floor(x/cellMapSize)` and row `floor(y/cellMapSize)`, at most the
/// last, evaluated in doubles exactly like that: cells are closed to the west and north and open to
/// the east and south, and every point is in exactly one.
public struct CellGrid: Hashable, Sendable {
  /// Cells on each axis of the world, at least 1.
  public let cellsPerWorld: Int
  /// The width and height of a cell in map points.
  public let cellMapSize: Double
  // For the quick way in ``cells(ofStep:)``: the parts of a cell, in 2^−32, between which a whole
  // step lies in it for certain. Empty where that way isn't good enough at all.
  let quickStart: UInt32
  let quickEnd: UInt32

  /// The grid with this many cells on each axis; fewer than 1 counts as 1.
  public init(cellsPerWorld: Int) {
    self.cellsPerWorld = max(1, cellsPerWorld)
    cellMapSize = WebMercator.worldSize / Double(self.cellsPerWorld)
    if self.cellsPerWorld < 1 << 31 {
      // Dividing in doubles is off by no more than 2^−51 of the cell's number; this is far more.
      let margin = 16 + self.cellsPerWorld >> 16
      quickStart = UInt32(margin)
      quickEnd = UInt32(max((1 << 32) - self.cellsPerWorld - margin, 0))
    } else {
      (quickStart, quickEnd) = (0, 0)
    }
  }

  /// The grid of a scale: `max(1, floor(256·2^zoom/cellSize + 1e-6))` cells on each axis.
  ///
  /// - Parameters:
  ///   - zoom: −10…30; the world is 256 points wide at 0.
  ///   - cellSize: the cell's width in points, at least 1.
  public init(zoom: Double, cellSize: Double) {
    let cells = 256 * exponential2(zoom) / cellSize + 1e-6
    // At most 256·2^30 in range; clamped so that nothing can trap.
    self.init(cellsPerWorld: Int(min(max(cells, 1), 0x1p52).rounded(.down)))
  }

  /// The column of an x, or the row of a y, in map points within the world.
  @inline(__always)
  public func cell(of mapPoints: Double) -> Int {
    // Nothing is negative here, so that cutting off is rounding down, without a call to floor().
    min(Int(mapPoints / cellMapSize), cellsPerWorld - 1)
  }

  /// The first and the last cell that a point of a position step can be in: the same but for steps
  /// that a grid line crosses.
  @inline(__always)
  func cells(ofStep step: UInt32) -> (first: Int, last: Int) {
    // A step s begins at the 2^−32 part s·N of the world's N cells, exactly. Where that isn't beside
    // a line, its upper half is the cell; near lines the defining division decides.
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

  /// The cell of a point on one axis, given its step and, where that isn't enough, its exact value.
  @inline(__always)
  func cell(ofStep step: UInt32, exactly value: () -> Double) -> Int {
    let (first, last) = cells(ofStep: step)
    return first == last ? first : cell(of: value())
  }

  /// The column and row of a feature.
  @inline(__always)
  func cell(of place: Int, in view: IndexPointers) -> CellPosition {
    let position = view.positions[place]
    return CellPosition(
      column: cell(ofStep: position.x) {
        WebMercator.x(longitude: view.coordinates[place].foldedLongitude)
      },
      row: cell(ofStep: position.y) { WebMercator.y(latitude: view.coordinates[place].latitude) })
  }
}

extension CellGrid {
  /// The cell that holds a coordinate, whose longitude may be beyond ±180.
  func cell(of coordinate: Coordinate) -> CellPosition {
    let longitude = Geodesy.normalisedLongitude(coordinate.longitude)
    return CellPosition(
      column: cell(of: WebMercator.x(longitude: longitude)),
      row: cell(of: WebMercator.y(latitude: coordinate.latitude)))
  }
}
