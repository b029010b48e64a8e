/// The view of a client: a rectangle of the world at a scale, and the cells of the grid for that
/// scale. Initializers make sure that it is finite and covers at most ``maximumCells`` cells.
public struct Viewport: Sendable {
  /// The scale, as clients specify it.
  public enum Scale: Sendable {
    /// The rectangle's width on the screen, in points.
    case viewportWidth(Double)
    /// The zoom; the world is 256 points wide at 0.
    case zoom(Double)
  }

  /// The maximum number of cells.
  public static let maximumCells = 1_000_000
  /// That limit, and the field that an error about it names.
  public static let usualLimit = (cells: maximumCells, field: "cellSize")

  /// The zoom of the grid: ``screenZoom`` rounded down to a multiple of the zoom step.
  public let zoomLevel: Double
  /// The zoom at which the client shows it, rounded to 1/1000.
  public let screenZoom: Double
  /// The width of a cell in points.
  public let cellSize: Double
  /// The cells that cover the rectangle with its margin.
  public let cells: GridRange
  /// The rectangle with its margin, in map points.
  private let grownRect: MapRect
  private let zoomStep: ZoomStep

  /// Creates the viewport of a rectangle.
  ///
  /// - Parameters:
  ///   - rect: A result of ``VisibleRect``.
  ///   - scale: A zoom of 0…24, or a width in points that results in a zoom of −10…30.
  ///   - cellSize: The width of a cell in points, 1…2048.
  ///   - marginFactor: The fraction of the width and height that is added on each side, 0…4.
  ///   - zoomStep: The steps in which the grid follows the zoom.
  ///   - limit: The most cells, at most ``maximumCells``, and the field that an error about them names.
  /// - Throws: ``ImpossibleRequest`` if a parameter or the zoom is out of range, or there are more cells than that.
  public init(
    rect: MapRect, scale: Scale, cellSize: Double, marginFactor: Double,
    zoomStep: ZoomStep = .finest, limit: (cells: Int, field: String) = usualLimit
  ) throws(ImpossibleRequest) {
    try Viewport.check(marginFactor: marginFactor)
    screenZoom = try Viewport.zoomLevel(rect: rect, scale: scale)
    zoomLevel = zoomStep.roundedDown(screenZoom)
    (self.cellSize, self.zoomStep) = (cellSize, zoomStep)
    grownRect = rect.grown(by: marginFactor)
    cells = try Viewport.cells(covering: grownRect, zoomLevel, cellSize, zoomStep, limit)
  }

  /// Creates a viewport of cells that were found to be right.
  init(zoomLevel: Double, cellSize: Double, cells: GridRange, of rect: MapRect) {
    (self.zoomLevel, screenZoom, zoomStep) = (zoomLevel, zoomLevel, .finest)
    (self.cellSize, self.cells, grownRect) = (cellSize, cells, rect)
  }

  /// The cells of another size that cover the same rectangle.
  ///
  /// - Throws: ``ImpossibleRequest`` if the cell size is out of range, or there are more than ``maximumCells`` cells.
  public func cells(ofSize cellSize: Double) throws(ImpossibleRequest) -> GridRange {
    try Viewport.cells(covering: grownRect, zoomLevel, cellSize, zoomStep)
  }

  private static func cells(
    covering rect: MapRect, _ zoomLevel: Double, _ cellSize: Double, _ zoomStep: ZoomStep,
    _ limit: (cells: Int, field: String) = usualLimit
  ) throws(ImpossibleRequest) -> GridRange {
    try check(cellSize: cellSize)
    let cells = GridRange(grid: CellGrid(zoom: zoomLevel, cellSize: cellSize), covering: rect)
    guard cells.count <= Double(limit.cells) else {
      throw tooManyCells(cells, limit: limit, cellSize: cellSize, zoomStep)
    }
    return cells
  }

  /// Throws unless a cell size is within its range.
  public static func check(cellSize: Double) throws(ImpossibleRequest) {
    try ImpossibleRequest.check("cellSize", cellSize, in: 1...2048)
  }

  /// Throws unless a margin factor is within its range.
  public static func check(marginFactor: Double) throws(ImpossibleRequest) {
    try ImpossibleRequest.check("marginFactor", marginFactor, in: 0...4)
  }

  /// Throws unless a scale is within its range, as far as the rectangle isn't needed to tell.
  public static func check(scale: Scale) throws(ImpossibleRequest) {
    switch scale {
    case .zoom(let zoom): try ImpossibleRequest.check("zoom", zoom, in: 0...24)
    case .viewportWidth(let width): try ImpossibleRequest.check(size: "viewportWidth", width)
    }
  }

  /// The zoom of a rectangle at a scale, rounded to 1/1000.
  ///
  /// - Throws: ``ImpossibleRequest`` if the scale or the zoom is out of range.
  public static func zoomLevel(rect: MapRect, scale: Scale) throws(ImpossibleRequest) -> Double {
    try check(scale: scale)
    switch scale {
    case .zoom(let zoom): return rounded(zoom)
    case .viewportWidth(let width):
      let mapPointsPerPoint = rect.width / width
      let zoom = rounded(logarithm2(WebMercator.worldSize / (256 * mapPointsPerPoint)))
      guard (-10...30).contains(zoom) else {
        throw ImpossibleRequest(
          field: "viewportWidth",
          detail: "a rect \(ImpossibleRequest.plain(rect.width)) map points wide on "
            + "\(ImpossibleRequest.plain(width)) points is zoom level \(zoom), outside of −10…30; a "
            + "rect of no width has no scale of its own")
      }
      return zoom
    }
  }

  /// A zoom rounded to 1/1000, so that rounding errors while panning never change the grid.
  public static func rounded(_ zoom: Double) -> Double { (zoom * 1000).rounded() / 1000 }

  /// The error for more cells than a limit. Its message names a cell size or zoom within the limit.
  private static func tooManyCells(
    _ cells: GridRange, limit: (cells: Int, field: String), cellSize: Double, _ zoomStep: ZoomStep
  ) -> ImpossibleRequest {
    ImpossibleRequest(
      field: limit.field,
      detail: "the rect with its margin covers \(ImpossibleRequest.plain(cells.count)) cells, more "
        + "than \(limit.cells); \(cells.remedy(limit: limit.cells, cellSize: cellSize, slack: zoomStep.slackOfWholeZooms)) would do"
    )
  }
}

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

extension GeoBounds {
  /// The rectangle in which to show features with these bounds: extended by a tenth on each side and
  /// at least 512 map points wide and high.
  var visibleMapRect: MapRect {
    var bounds = folded
    // East of west across the antimeridian.
    if bounds.west > bounds.east { bounds.east += 360 }
    var rect = bounds.mapRect.grown(by: 0.1)
    let (width, height) = (max(rect.width, 512), max(rect.height, 512))
    rect.x -= (width - rect.width) / 2
    rect.y -= (height - rect.height) / 2
    (rect.width, rect.height) = (width, height)
    return rect
  }
}
