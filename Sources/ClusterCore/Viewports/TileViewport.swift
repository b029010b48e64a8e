/// The viewport for methods without a grid of cells: the visible rectangle with its margin, extended
/// to whole tiles so that the result stays the same while the client pans within them.
public struct TileViewport: Sendable {
  /// The zoom, rounded to 1/1000.
  public internal(set) var zoomLevel: Double
  /// The tiles that the rectangle touches, at the zoom rounded down.
  public let tiles: GridRange

  /// Creates the viewport of a rectangle; see ``Viewport/init(rect:scale:cellSize:marginFactor:)``.
  ///
  /// - Throws: ``ImpossibleRequest`` if the scale, the zoom or the margin factor is out of range.
  public init(
    rect: MapRect, scale: Viewport.Scale, marginFactor: Double
  ) throws(ImpossibleRequest) {
    try Viewport.check(marginFactor: marginFactor)
    zoomLevel = try Viewport.zoomLevel(rect: rect, scale: scale)
    let tilesPerWorld = exponential2(max(0, zoomLevel.rounded(.down)))
    tiles = GridRange(
      grid: CellGrid(cellsPerWorld: Int(tilesPerWorld)), covering: rect.grown(by: marginFactor))
  }

  /// The number of map points that one point on the screen covers.
  var mapPointsPerPoint: Double { WebMercator.mapPointsPerPoint(zoom: zoomLevel) }
}
