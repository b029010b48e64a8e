import ClusterCore

/// A cell of a viewport: of its own grid, or of the grid of a group.
struct ViewportCell: Hashable {
  /// Whose grid a cell is of.
  enum Owner: Hashable {
    case viewport
    /// A group that has cells of its own size, by its key; nil for the features without a value.
    case group([UInt8]?)
  }

  var owner: Owner
  var position: CellPosition
}

extension ViewportCell: Comparable {
  /// Orders cells by row, column and owner: the viewport before groups, and groups by their keys.
  static func < (a: ViewportCell, b: ViewportCell) -> Bool {
    if a.position != b.position { return a.position < b.position }
    switch (a.owner, b.owner) {
    case (.viewport, .group): return true
    case (.group(nil), .group(.some)): return true
    case (.group(let a?), .group(let b?)): return a.lexicographicallyPrecedes(b)
    default: return false
    }
  }
}

extension CellSelection {
  /// The cells that may hold annotations, in order: those of the viewport's own grid, and those of groups
  /// that have a grid of their own.
  ///
  /// - Parameter cellSize: the size of the viewport's own cells, in points.
  func cells(_ overrides: [[UInt8]: Grouping.Override], cellSize: Double) -> [ViewportCell] {
    var cells = own.positions.map { ViewportCell(owner: .viewport, position: $0) }
    for (key, override) in overrides where override.cellSize != cellSize {
      let positions = others[override.cellSize]?.positions ?? []
      cells += positions.map { ViewportCell(owner: .group(key), position: $0) }
      // The group of the features without a value has the same name.
      guard key == KeyColumn.nullKey else { continue }
      cells += positions.map { ViewportCell(owner: .group(nil), position: $0) }
    }
    return cells.sorted()
  }

  /// The number of those cells, at most.
  func cellCount(_ overrides: [[UInt8]: Grouping.Override], cellSize: Double) -> Int {
    var count = own.count
    for override in overrides.values where override.cellSize != cellSize {
      count += 2 * (others[override.cellSize]?.count ?? 0)
    }
    return count
  }
}
