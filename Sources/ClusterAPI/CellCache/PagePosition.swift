/// Where a page is in its grid.
struct PagePosition: Hashable {
  var column: Int
  var row: Int

  /// By column and row of pages.
  init(page column: Int, _ row: Int) { (self.column, self.row) = (column, row) }

  /// The page of a cell.
  init(column: Int, row: Int) {
    (self.column, self.row) = (column >> CellPage.bits, row >> CellPage.bits)
  }

  // One word instead of two: this is looked up several times a request.
  func hash(into hasher: inout Hasher) {
    hasher.combine(column &+ row &* 0x1E37_79B9_7F4A_7C15)
  }
}
