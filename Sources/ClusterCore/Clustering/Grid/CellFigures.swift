import CVectors

/// Memory for the means and bounds of several cells, which are found together: one by one, they are most of
/// the cost of an annotation.
struct CellFigures {
  /// Where the features of a cell are.
  struct Cell {
    /// Their mean.
    var coordinate: Coordinate
    var bounds: GeoBounds
  }

  /// The most cells at once.
  static let most = 8

  private let sums: UnsafeMutablePointer<UnsafePointer<cvectors_point_sum>>
  private let found: UnsafeMutablePointer<cvectors_figures>

  init() {
    sums = .allocate(capacity: CellFigures.most)
    found = .allocate(capacity: 1)
    found.initialize(to: cvectors_figures())
  }

  func deallocate() {
    sums.deallocate()
    found.deallocate()
  }

  /// The figures: a row of ``most`` for each of latitude, longitude, west, south, east and north.
  var rows: UnsafeMutablePointer<Double> {
    UnsafeMutableRawPointer(found).assumingMemoryBound(to: Double.self)
  }

  /// Finds the figures of some cells, at least one.
  ///
  /// - Parameters:
  ///   - slots: the places of the cells' sums in `cells`.
  ///   - vectors: the vectorized version to use if there is one; its results are identical.
  @inline(__always)
  func find(
    of cells: UnsafePointer<CellSum>, _ slots: UnsafePointer<Int32>, count: Int,
    _ vectors: Vectors? = .best
  ) {
    guard let vectors else {
      for index in 0..<count { set(CellFigures.figures(of: cells[Int(slots[index])].sum), index) }
      return
    }
    for index in 0..<CellFigures.most {
      // Lanes without a cell repeat the last one.
      let cell = UnsafeRawPointer(cells + Int(slots[min(index, count &- 1)]))
      (sums + index).initialize(
        to: (cell + CellSum.offsetOfSum).assumingMemoryBound(to: cvectors_point_sum.self))
    }
    vectors.functions.figures(
      sums, StepDegrees.shared.forVectors(isOneInterval: false), found)
  }

  /// The figures of one cell.
  static func figures(of sum: PointSum) -> Cell {
    guard sum.count > 0, !sum.box.isPolar else {
      return Cell(
        coordinate: Coordinate(latitude: 0, longitude: 0),
        bounds: GeoBounds(west: 0, south: 0, east: 0, north: 0))
    }
    let bounds = GeoBounds(within: sum.box)
    return Cell(coordinate: sum.mean(in: bounds), bounds: bounds)
  }

  /// Replaces the figures of a cell.
  @inline(__always)
  func set(_ cell: Cell, _ index: Int) {
    let column = rows + index
    column[0] = cell.coordinate.latitude
    column[8] = cell.coordinate.longitude
    column[16] = cell.bounds.west
    column[24] = cell.bounds.south
    column[32] = cell.bounds.east
    column[40] = cell.bounds.north
  }

  /// The figures of a cell by its number among those that were given. They mean nothing for cells without
  /// features and for those that reach an edge of the world.
  @inline(__always)
  subscript(_ index: Int) -> Cell {
    let column = rows + index
    return Cell(
      coordinate: Coordinate(latitude: column[0], longitude: column[8]),
      bounds: GeoBounds(west: column[16], south: column[24], east: column[32], north: column[40]))
  }
}

extension CellSum {
  /// Where its ``sum`` is in memory, which is laid out as a `cvectors_point_sum`.
  fileprivate static let offsetOfSum = MemoryLayout<CellSum>.offset(of: \.sum) ?? 0
}
