extension PositionBox {
  /// Whether the features with this box are in several cells of a grid; nil if positions are not exact
  /// enough to tell.
  ///
  /// - Parameter slack: how many steps the box's edges may be off.
  func isInSeveralCells(of grid: CellGrid, slack: UInt32) -> Bool? {
    func cells(_ step: UInt32) -> (first: Int, last: Int) {
      let (west, east) = (step - min(slack, step), step + min(slack, .max - step))
      return (grid.cells(ofStep: west).first, grid.cells(ofStep: east).last)
    }
    let columns = PositionBox.areApart(cells(minX), cells(maxX))
    let rows = PositionBox.areApart(cells(minY), cells(maxY))
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
