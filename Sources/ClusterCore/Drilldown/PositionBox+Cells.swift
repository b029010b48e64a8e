extension PositionBox {
  /// Whether the features with this box are in several cells of a grid; nil if positions are not exact
  /// enough to tell.
  func isInSeveralCells(of grid: CellGrid) -> Bool? {
    let columns = PositionBox.areApart(grid.cells(ofStep: minX), grid.cells(ofStep: maxX))
    let rows = PositionBox.areApart(grid.cells(ofStep: minY), grid.cells(ofStep: maxY))
    if columns == true || rows == true { return true }
    return columns == nil || rows == nil ? nil : false
  }

  private static func areApart(
    _ low: (first: Int, last: Int), _ high: (first: Int, last: Int)
  ) -> Bool? {
    if low.last < high.first { return true }
    return low.first == high.last ? false : nil
  }
}
