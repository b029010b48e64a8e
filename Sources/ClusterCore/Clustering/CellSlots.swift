/// Where each cell of a grid range has its sum: a table for ranges of up to a million cells, a
/// dictionary for larger, sparse ones.
struct CellSlots {
  private let firstColumn: Int
  private let columnCount: Int
  private let firstRow: Int
  private let cellsPerWorld: Int
  private var table: [Int32]
  private var sparse: [CellPosition: Int] = [:]

  init(_ cells: GridRange) {
    firstColumn = cells.firstColumn
    columnCount = cells.columnCount
    firstRow = cells.rows.lowerBound
    cellsPerWorld = cells.grid.cellsPerWorld
    let isDense = cells.count <= Double(Viewport.maximumCells)
    table = isDense ? Array(repeating: -1, count: Int(cells.count)) : []
  }

  @inline(__always)
  private func place(_ cell: CellPosition) -> Int {
    let column = cell.column - firstColumn
    return (cell.row - firstRow) * columnCount + (column < 0 ? column + cellsPerWorld : column)
  }

  /// The slot of a cell of the range; −1 while it has none.
  @inline(__always)
  subscript(_ cell: CellPosition) -> Int {
    get { table.isEmpty ? sparse[cell] ?? -1 : Int(table[place(cell)]) }
    set {
      if table.isEmpty { sparse[cell] = newValue } else { table[place(cell)] = Int32(newValue) }
    }
  }

  /// Sums that were put into slots, by row and column.
  func inOrder(_ sums: [CellSum]) -> [CellSum] {
    sums.sorted { a, b in
      a.cell.row != b.cell.row ? a.cell.row < b.cell.row : a.cell.column < b.cell.column
    }
  }
}

/// A few places of an index, such as those of the features that are kept apart.
struct PlaceSet: Sendable {
  /// Ascending, without duplicates.
  let places: [Int]

  init(_ places: some Sequence<Int>) { self.places = Set(places).sorted() }

  func contains(_ place: Int) -> Bool { places.isEmpty ? false : places.contains(place) }

  @inline(__always)
  func intersects(_ range: Range<Int>) -> Bool {
    if places.isEmpty { return false }
    return places.contains { range.contains($0) }
  }
}
