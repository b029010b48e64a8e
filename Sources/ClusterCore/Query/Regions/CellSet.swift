/// Any set of cells of a grid.
public struct CellSet: Sendable {
  /// Adjacent cells of a row.
  struct Run: Sendable {
    var row: Int
    var columns: Range<Int>
  }

  let grid: CellGrid
  /// The runs in order of row and column. No two of them are adjacent.
  let runs: [Run]
  /// The number of cells.
  public let count: Int

  init(_ cells: Set<CellPosition>, of grid: CellGrid) {
    self.grid = grid
    count = cells.count
    var runs: [Run] = []
    for cell in cells.sorted() {
      if let last = runs.last, last.row == cell.row, last.columns.upperBound == cell.column {
        runs[runs.count - 1].columns = last.columns.lowerBound..<cell.column + 1
      } else {
        runs.append(Run(row: cell.row, columns: cell.column..<cell.column + 1))
      }
    }
    self.runs = runs
  }

  /// All cells, ordered by row and column.
  ///
  /// - Complexity: O(cells).
  public var positions: [CellPosition] {
    runs.flatMap { run in run.columns.map { CellPosition(column: $0, row: run.row) } }
  }

  /// The runs as ranges of cells.
  var ranges: [GridRange] {
    runs.map {
      GridRange(
        grid: grid, firstColumn: $0.columns.lowerBound, columnCount: $0.columns.count,
        rows: $0.row..<$0.row + 1)
    }
  }

  func contains(_ cell: CellPosition) -> Bool {
    var index = firstRun(notAbove: cell.row)
    while index < runs.count, runs[index].row == cell.row {
      if runs[index].columns.contains(cell.column) { return true }
      index += 1
    }
    return false
  }

  /// Returns the first run that isn't in a row above `row`.
  private func firstRun(notAbove row: Int) -> Int {
    runs.indices.partitionPoint { runs[$0].row < row }
  }
}

extension CellSet: IndexRegion {
  /// The maximum number of runs that are examined for one node.
  private static let manyRuns = 32

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    contains(grid.cell(of: ordinal, in: pointers))
  }

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.node(node).box
    let (west, east) = (grid.cells(ofStep: box.minX).first, grid.cells(ofStep: box.maxX).last)
    let (north, south) = (grid.cells(ofStep: box.minY).first, grid.cells(ofStep: box.maxY).last)
    let start = firstRun(notAbove: north)
    var index = start
    while index < runs.count, runs[index].row <= south {
      let run = runs[index]
      if run.columns.lowerBound <= east && run.columns.upperBound > west {
        let isInside =
          north == south && run.columns.lowerBound <= west && run.columns.upperBound > east
        return isInside ? .inside : .partial
      }
      index += 1
      if index - start > CellSet.manyRuns { return .partial }
    }
    return .outside
  }
}

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
  var region: AnyRegion {
    others.isEmpty ? AnyRegion(own) : AnyRegion(UnionRegion(parts: [own] + others.values))
  }
}

extension CellSelection {
  /// Creates a selection of cells of a grid.
  public init(_ cells: some Sequence<CellPosition>, of grid: CellGrid) {
    self.init(own: CellSet(Set(cells), of: grid), others: [:])
  }
}
