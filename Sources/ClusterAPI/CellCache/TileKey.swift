import ClusterCore
import Collections

/// A tile and everything that decides how it is encoded, apart from its features.
struct TileKey {
  /// The grids of the tiles of one zoom.
  struct Level: Hashable {
    var zoom: Int
    /// The number of cells on each axis of a tile.
    var cells: Int

    init(_ tile: Tile, _ viewport: Viewport) {
      (zoom, cells) = (tile.zoom, viewport.cells.grid.cellsPerWorld >> tile.zoom)
    }

    /// The tiles that hold some map points.
    func forEachPlace(of points: [MapPoint], _ body: (Place) -> Void) {
      let grid = CellGrid(cellsPerWorld: cells << zoom)
      for point in points {
        body(
          Place(level: self, x: grid.cell(of: point.x) / cells, y: grid.cell(of: point.y) / cells))
      }
    }
  }

  /// A tile on a grid.
  struct Place: Hashable {
    var level: Level
    var x: Int
    var y: Int
  }

  let place: Place
  private let viewport: ViewportRequest
  private let cellSize: Double
  private let zoomLevel: Double

  /// The size of the options above which nothing is kept, in bytes.
  private static let maximumBytes = 8 << 10

  /// The key of a tile that is encoded with the values of a viewport; nil if the options are too long, or if the
  /// meaning of the filter depends on features elsewhere.
  init?(_ tile: Tile, _ viewport: ViewportRequest) {
    guard case .grid(let area, _) = viewport.area,
      viewport.cellByteCount <= TileKey.maximumBytes, !viewport.needs.contains(.others)
    else { return nil }
    place = Place(level: Level(tile, area), x: tile.x, y: tile.y)
    (self.viewport, cellSize, zoomLevel) = (viewport, area.cellSize, area.zoomLevel)
  }

  /// Whether another key of the same place asks for the same.
  func isSame(as other: TileKey) -> Bool {
    guard cellSize == other.cellSize else { return false }
    if viewport.sharesValues(with: other.viewport) { return true }
    // Properties differ mostly, and need no copy.
    return viewport.hasSameProperties(as: other.viewport) && options == other.options
  }

  private var options: CellOptions { viewport.values.cell.canonical(atZoom: zoomLevel) }

  /// About the memory of the key, in bytes. A parsed filter takes a few times the memory of its
  /// text.
  var byteCount: Int { 1024 + 8 * viewport.cellByteCount }
}
