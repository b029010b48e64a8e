import ClusterCore

/// A cell of a viewport: of its own grid, or of the grid of a group.
struct ViewportCell: Hashable {
  /// The owner of a cell's grid.
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
