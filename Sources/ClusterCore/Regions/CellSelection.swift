/// Some cells of a viewport: those of its own grid, and those of the grids of groups with a cell
/// size of their own.
public struct CellSelection: Sendable {
  /// The cells of the viewport's own grid.
  let own: CellSet
  /// The cells of groups' grids, by cell size.
  let others: [Double: CellSet]

  /// The number of cells.
  public var count: Int { others.values.reduce(own.count) { $0 + $1.count } }

  /// The number of cells of the viewport's own grid.
  public var ownCount: Int { own.count }

  /// Returns the number of cells of the grid with a cell size that groups have.
  public func count(ofSize cellSize: Double) -> Int { others[cellSize]?.count ?? 0 }

  /// The cells of the viewport's own grid, ordered by row and column.
  public var ownCells: [CellPosition] { own.positions }

  /// Returns the cells of the grid with a cell size that groups have, ordered by row and column.
  public func cells(ofSize cellSize: Double) -> [CellPosition] {
    others[cellSize]?.positions ?? []
  }
}

extension CellSelection {
  /// Creates a selection of cells of a grid.
  public init(_ cells: some Sequence<CellPosition>, of grid: CellGrid) {
    own = CellSet(Set(cells), of: grid)
    others = [:]
  }
}

/// The region of all features in the selected cells, regardless of their group.
extension CellSelection: IndexRegion {
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    var union = own.coverage(of: node, in: pointers)
    for other in others.values where union != .inside {
      switch other.coverage(of: node, in: pointers) {
      case .inside: union = .inside
      case .partial: union = .partial
      case .outside: break
      }
    }
    return union
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    own.contains(ordinal, in: pointers)
      || others.values.contains { $0.contains(ordinal, in: pointers) }
  }
}
