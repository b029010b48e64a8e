extension CellSelection {
  /// The maximum product of coordinates and grids.
  private static let mostLooks = 1 << 20

  /// Selects the cells of a request and of its overrides that hold any of some coordinates; nil if that
  /// would take too long.
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
    let cells = points.lazy.map {
      CellPosition(column: range.grid.cell(of: $0.x), row: range.grid.cell(of: $0.y))
    }
    return CellSet(Set(cells.filter(range.contains)), of: range.grid)
  }

  /// The selected cells of a request for one layer.
  func cells(_ request: ClusterRequest) -> CellSet { others[request.cellSize] ?? own }
}
