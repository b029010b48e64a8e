/// A tile of the world at a zoom, as web maps ask for them: x eastwards and y southwards from the north-west.
public struct Tile: Hashable, Sendable {
  /// The zoom; there are 2^zoom tiles on each axis.
  public let zoom: Int
  /// The column.
  public let x: Int
  /// The row.
  public let y: Int

  /// The zooms of tiles.
  public static let zooms = 0...24
  /// The width of a tile on the screen, in points.
  public static let width = 512.0

  /// The only tile of zoom 0.
  public static let world = Tile()

  private init() { (zoom, x, y) = (0, 0, 0) }

  /// Creates a tile; nil if there is none with these numbers.
  public init?(zoom: Int, x: Int, y: Int) {
    guard Tile.zooms.contains(zoom), (0..<1 << zoom).contains(x), (0..<1 << zoom).contains(y) else {
      return nil
    }
    (self.zoom, self.x, self.y) = (zoom, x, y)
  }

  /// Its rectangle in map points.
  public var rect: MapRect {
    let size = WebMercator.worldSize / Double(1 << zoom)
    return MapRect(x: Double(x) * size, y: Double(y) * size, width: size, height: size)
  }

  /// The tile that holds a map point.
  public init(zoom: Int, holding point: MapPoint) {
    let grid = CellGrid(cellsPerWorld: 1 << zoom)
    (self.zoom, x, y) = (zoom, grid.cell(of: point.x), grid.cell(of: point.y))
  }
}

extension Viewport {
  /// The viewport of a tile with as many whole cells on each axis as fit, so that no cell crosses tiles:
  /// `max(1, floor(512 / cellSize))`.
  ///
  /// - Throws: ``ImpossibleRequest`` if the cell size is out of range.
  public init(_ tile: Tile, cellSize: Double) throws(ImpossibleRequest) {
    try Viewport.check(cellSize: cellSize)
    let count = max(1, Int(Tile.width / cellSize))
    let grid = CellGrid(cellsPerWorld: count << tile.zoom)
    self.init(
      zoomLevel: Double(tile.zoom + 1), cellSize: Tile.width / Double(count),
      cells: GridRange(
        grid: grid, firstColumn: tile.x * count, columnCount: count,
        rows: tile.y * count..<(tile.y + 1) * count),
      of: tile.rect)
  }
}
