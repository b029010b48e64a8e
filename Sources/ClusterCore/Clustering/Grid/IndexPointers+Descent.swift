import CVectors

extension IndexPointers {
  /// The blocks and the window of some columns of the cells that are added up; nil if the grid or the table is too large
  /// for vectorized code.
  func descent(
    in window: GridWindow, _ columns: Range<Int>, of sums: CellSums
  ) -> cvectors_descent? {
    let cells = sums.cells
    // Some part of a cell must be clear of grid lines, and columns and rows are numbers of 31 bits.
    guard sums.isDirect, cells.grid.quickStart &+ 2 < cells.grid.quickEnd else { return nil }
    return cvectors_descent(
      blocks: UnsafeRawPointer(blocks).assumingMemoryBound(to: cvectors_block.self),
      latitudes: degrees.forVectors(isOneInterval: false), window: window.forVectors,
      offset: UInt32(cells.offset(ofColumn: columns.lowerBound)),
      columns_in_row: UInt32(cells.columnCount),
      steps_per_cell: cells.grid.cellMapSize * Position.stepsPerMapPoint)
  }
}

// The layouts of values that vectorized code reads and writes are those of its structures.

extension GrowingArray<GridScratch.Siblings> {
  /// The address of the siblings, behind which there is as much room as was made.
  var forVectors: UnsafeMutablePointer<cvectors_siblings> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: cvectors_siblings.self)
  }
}
