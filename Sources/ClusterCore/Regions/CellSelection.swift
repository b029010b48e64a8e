/// Some cells of a viewport: those of its own grid, and those of the grids of groups with a cell
/// size of their own.
public struct CellSelection: Sendable {
  /// The cells of the viewport's own grid.
  public let own: CellSet
  /// The cells of groups' grids, by cell size.
  public let others: [Double: CellSet]

  /// The number of cells.
  public var count: Int { others.values.reduce(own.count) { $0 + $1.count } }

  /// The region of all features in the selected cells, regardless of their group.
  var region: UnionRegion<CellSet> { UnionRegion(parts: [own] + others.values) }
}

extension CellSelection {
  /// Creates a selection of cells of a grid.
  public init(_ cells: some Sequence<CellPosition>, of grid: CellGrid) {
    self.init(own: CellSet(Set(cells), of: grid), others: [:])
  }
}
