/// What a client shows, for the methods that know no grid of cells: the visible rectangle with its
/// margin, rounded outward to whole tiles, so that panning keeps still.
public struct TileViewport: Sendable {
  /// The zoom, rounded to 1/1000.
  public internal(set) var zoomLevel: Double
  /// The tiles, of the whole zoom below.
  public let tiles: GridRange

  /// Makes a view of a rectangle; as ``Viewport/init(rect:scale:cellSize:marginFactor:)``.
  public init(
    rect: MapRect, scale: Viewport.Scale, marginFactor: Double
  ) throws(ImpossibleRequest) {
    try Viewport.check(marginFactor: marginFactor)
    zoomLevel = try Viewport.zoomLevel(rect: rect, scale: scale)
    let tilesPerWorld = exponential2(max(0, zoomLevel.rounded(.down)))
    tiles = GridRange(
      grid: CellGrid(cellsPerWorld: Int(tilesPerWorld)), covering: rect.grown(by: marginFactor))
  }

  /// Map points to a point of the screen.
  var mapPointsPerPoint: Double { MapScale.mapPointsPerPoint(zoom: zoomLevel) }
}
