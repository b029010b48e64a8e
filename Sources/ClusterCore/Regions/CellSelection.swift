extension CellSelection {
  /// Some cells of a grid.
  public init(_ cells: some Sequence<CellPosition>, of grid: CellGrid) {
    own = CellSet(Set(cells), of: grid)
    others = [:]
  }
}

/// The cells of a view in which something changed: of its own grid, and of the grids that groups have
/// of their own.
public struct CellSelection: Sendable {
  /// Of the view's own grid.
  let own: CellSet
  /// Of those of groups, by cell size.
  let others: [Double: CellSet]

  /// The most coordinates times grids that are looked at.
  private static let mostLooks = 1 << 20

  /// The cells of a request, and of what some groups have of their own, that hold any of some
  /// coordinates; nil where it takes too long to say.
  public init?(
    _ request: ClusterRequest, overrides: [[UInt8]: Grouping.Override],
    holding coordinates: [Coordinate]
  ) {
    var ranges: [Double: GridRange] = [:]
    for override in overrides.values where override.cellSize != request.cellSize {
      ranges[override.cellSize] = override.cells
    }
    guard coordinates.count * (ranges.count + 1) <= CellSelection.mostLooks else { return nil }
    let points = coordinates.map(WebMercator.project)
    own = CellSelection.cells(of: request.cells, holding: points)
    others = ranges.mapValues { CellSelection.cells(of: $0, holding: points) }
  }

  private static func cells(of range: GridRange, holding points: [MapPoint]) -> CellSet {
    var cells: Set<CellPosition> = []
    for point in points {
      let cell = CellPosition(
        column: range.grid.cell(of: point.x), row: range.grid.cell(of: point.y))
      if range.holds(cell) { cells.insert(cell) }
    }
    return CellSet(cells, of: range.grid)
  }

  /// The number of cells.
  public var count: Int { others.values.reduce(own.count) { $0 + $1.count } }

  /// The number of cells of the view's own grid.
  public var ownCount: Int { own.count }

  /// The number of cells of groups with a cell size of their own.
  public func count(ofSize cellSize: Double) -> Int { others[cellSize]?.count ?? 0 }

  /// The cells of the view's own grid, by row and column.
  public var ownCells: [CellPosition] { own.positions }

  /// The cells that groups with a cell size of their own have, by row and column.
  public func cells(ofSize cellSize: Double) -> [CellPosition] {
    others[cellSize]?.positions ?? []
  }

  /// Those of the view where the cell size is its own.
  func cells(_ request: ClusterRequest) -> CellSet { others[request.cellSize] ?? own }
}

/// The features in the cells of a selection, whatever their group.
extension CellSelection: IndexRegion {
  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    var union = own.coverage(of: node, in: view)
    for other in others.values where union != .inside {
      switch other.coverage(of: node, in: view) {
      case .inside: union = .inside
      case .partial: union = .partial
      case .outside: break
      }
    }
    return union
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    own.contains(place, in: view) || others.values.contains { $0.contains(place, in: view) }
  }
}
