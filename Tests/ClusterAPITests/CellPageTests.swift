import ClusterCore
import Testing

@testable import ClusterAPI

/// How the pages of a cached grid follow a collection.
@Suite(.timeLimit(.minutes(10))) struct CellPageTests {
  /// All cells of a grid of eight by eight, which are one page, as a view asks for them.
  private static func worldArea() throws -> CellArea {
    let world = try Viewport(
      rect: VisibleRect.bbox(west: -180, south: -85, east: 180, north: 85), scale: .zoom(3),
      cellSize: 256, marginFactor: 0)
    return try #require(CellArea(world.cells))
  }

  @Test func `a page is for readers from the version on that touched it last`() throws {
    let memory = MemoryBudget(limit: 1 << 20)
    let area = try Self.worldArea()
    let grid = CachedGrid(area.cells.grid, at: 5, memory)
    #expect(grid.pages(of: area, at: 4) == nil)
    let before = try #require(grid.pages(of: area, at: 5)?.first)
    let cell = EncodedCell(
      UnsafeRawBufferPointer(start: nil, count: 0), features: 1, annotations: 1)
    before.fill(column: 1, row: 1, with: cell)
    before.fill(column: 2, row: 1, with: .empty)
    func isFilled(_ page: CellPage, _ column: Int) -> Bool {
      page.slot(column: column, row: 1).pointee.load(ordering: .relaxed) != nil
    }
    let size = area.cells.grid.cellMapSize
    let point = MapPoint(x: 1.5 * size, y: 1.5 * size)
    #expect(grid.invalidate([point], at: 7))
    #expect(isFilled(before, 1) && isFilled(before, 2))
    #expect(grid.pages(of: area, at: 6) == nil)
    let after = try #require(grid.pages(of: area, at: 7)?.first)
    #expect(after !== before && !isFilled(after, 1) && isFilled(after, 2))
    // What a slow reader of the old page encodes is for its own readers.
    before.fill(column: 3, row: 1, with: .empty)
    #expect(isFilled(before, 3) && !isFilled(after, 3))
    // Elsewhere nothing is lost, not even for readers of versions before.
    #expect(grid.invalidate([], at: 8) && grid.pages(of: area, at: 7)?.first === after)
    #expect(memory.byteCount > 0)
  }

  @Test func `a grid that nobody asks for is evicted after so many changes`() throws {
    let area = try Self.worldArea()
    let grid = CachedGrid(area.cells.grid, at: 0, MemoryBudget(limit: 1 << 20))
    let points = Array(repeating: MapPoint(x: 1, y: 1), count: 4096)
    for version in 1...8 as ClosedRange<Int64> {
      #expect(grid.invalidate(points, at: version) == true)
      if version.isMultiple(of: 3) { #expect(grid.pages(of: area, at: version) != nil) }
    }
    for version in 9...10 as ClosedRange<Int64> { #expect(grid.invalidate(points, at: version)) }
    #expect(!grid.invalidate(points, at: 11))
  }
}
