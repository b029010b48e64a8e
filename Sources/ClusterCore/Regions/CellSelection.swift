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
}

/// The features in the cells of a selection, whatever their group.
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
