import ClusterCore

/// The cells of a viewport, and the pages that hold them.
struct CellArea: Sendable {
  let cells: GridRange
  /// Neighbouring columns of cells, and the columns of their pages.
  private struct Part {
    var columns: Range<Int>
    var pages: Range<Int>

    init(_ columns: Range<Int>) {
      self.columns = columns
      pages =
        columns.isEmpty
        ? 0..<0
        : columns.lowerBound >> CellPage.bits..<((columns.upperBound - 1) >> CellPage.bits) + 1
    }
  }

  // In ascending order of columns. The first is empty unless the cells cross the antimeridian.
  private let first: Part
  private let second: Part
  private let pageRows: Range<Int>

  /// The most cells of an area that is cached. Few viewports have more, and each cell must be looked at.
  private static let maximumCount = 16_384.0

  /// The area of some cells; nil if there are none, or too many.
  init?(_ cells: GridRange) {
    guard !cells.rows.isEmpty, cells.columnCount > 0, cells.count <= CellArea.maximumCount else {
      return nil
    }
    self.cells = cells
    first = Part(cells.columnsPastAntimeridian)
    second = Part(cells.columnsToAntimeridian)
    pageRows = Part(cells.rows).pages
  }

  private var pagesInRow: Int { first.pages.count + second.pages.count }

  /// The number of pages; one that is on both sides of the antimeridian counts twice.
  var pageCount: Int { pagesInRow * pageRows.count }

  /// Whether `body` is true for the positions of all pages, by row and column; stops at the first false.
  func forEachPage(_ body: (CellPage.Position) -> Bool) -> Bool {
    for row in pageRows {
      for columns in [first.pages, second.pages] {
        for column in columns {
          if !body(CellPage.Position(page: column, row)) { return false }
        }
      }
    }
    return true
  }

  /// The page of a cell; nil if the cell isn't in the area.
  ///
  /// - Parameter pages: the pages at the positions of ``forEachPage(_:)``.
  func page(column: Int, row: Int, in pages: [CellPage]) -> CellPage? {
    guard cells.rows.contains(row) else { return nil }
    let line = (row >> CellPage.bits - pageRows.lowerBound) * pagesInRow
    let page = column >> CellPage.bits
    if first.columns.contains(column) { return pages[line + page - first.pages.lowerBound] }
    guard second.columns.contains(column) else { return nil }
    return pages[line + first.pages.count + page - second.pages.lowerBound]
  }

  /// Calls `body` with the cells by row and column, in runs of cells of one page.
  ///
  /// - Parameter pages: the pages at the positions of ``forEachPage(_:)``, or what stands for them.
  @inline(__always)
  func forEachRun<Page>(
    in pages: [Page], _ body: (_ page: Page, _ columns: Range<Int>, _ row: Int) -> Void
  ) {
    for row in cells.rows {
      let line = (row >> CellPage.bits - pageRows.lowerBound) * pagesInRow
      forEachRun(of: first, in: pages, from: line, row, body)
      forEachRun(of: second, in: pages, from: line + first.pages.count, row, body)
    }
  }

  @inline(__always)
  private func forEachRun<Page>(
    of part: Part, in pages: [Page], from line: Int, _ row: Int,
    _ body: (_ page: Page, _ columns: Range<Int>, _ row: Int) -> Void
  ) {
    for column in part.pages {
      let start = max(column << CellPage.bits, part.columns.lowerBound)
      let end = min((column + 1) << CellPage.bits, part.columns.upperBound)
      body(pages[line + column - part.pages.lowerBound], start..<end, row)
    }
  }
}
