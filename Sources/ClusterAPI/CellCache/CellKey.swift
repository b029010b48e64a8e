import ClusterCore
import Collections

/// Everything that decides how a cell of a collection is encoded, apart from the cell's position and its
/// features: its grid, and the options of the request as a whole.
struct CellKey: Hashable, Sendable {
  let hash: Int
  let grid: CellGrid
  private let cellSize: Double
  private let options: CellOptions
  /// The zoom, if pins are spread by points on the screen; otherwise zooms of one grid don't differ.
  private let spreadZoom: Double?
  /// Whether nothing is clustered, as far as the options don't tell that.
  private let isClusteringOff: Bool

  /// The size of the options above which nothing is kept, in bytes.
  private static let maximumBytes = 8 << 10

  /// The key of a viewport's cells; nil if an answer holds more than its cells' annotations, if a cell
  /// depends on features outside of it, as the meaning of a filter may, or on the side of the antimeridian that is
  /// asked for, or if the options are too long.
  init?(_ request: ViewportRequest) {
    guard case .grid(let viewport, _) = request.area,
      request.needs.isSubset(of: .keptCells), request.cellByteCount <= CellKey.maximumBytes
    else { return nil }
    (grid, cellSize) = (viewport.cells.grid, viewport.cellSize)
    options = request.values.cell.canonical(atZoom: viewport.zoomLevel)
    spreadZoom = options.settings.spreadUnit == .points ? viewport.screenZoom : nil
    isClusteringOff = options.settings.isClusteringOff(atZoom: viewport.zoomLevel)
    var hasher = Hasher()
    hasher.combine(grid)
    hasher.combine(cellSize)
    hasher.combine(options)
    hasher.combine(spreadZoom)
    hasher.combine(isClusteringOff)
    hash = hasher.finalize()
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
