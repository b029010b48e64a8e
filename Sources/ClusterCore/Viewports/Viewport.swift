/// What a client shows: a rectangle of the world at a scale, and the grid that goes with it. A
/// viewport that exists is finite, ordered and covers at most ``maximumCells`` cells.
public struct Viewport: Sendable {
  /// How the scale is given.
  public enum Scale: Sendable {
    /// The rectangle's width on the screen, in points.
    case viewportWidth(Double)
    /// The zoom; the world is 256 points wide at 0.
    case zoom(Double)
  }

  /// The most cells of a grid.
  public static let maximumCells = 1_000_000

  /// The zoom, rounded to 1/1000.
  public let zoomLevel: Double
  /// A cell's width in points.
  public let cellSize: Double
  /// The cells.
  public let cells: GridRange
  /// The rectangle with its margin, in map points.
  private let grownRect: MapRect

  /// Makes a viewport of a rectangle.
  ///
  /// - Parameters:
  ///   - rect: from ``VisibleRect``.
  ///   - scale: a zoom of 0…24 or a width in points that comes to −10…30.
  ///   - cellSize: in points, 1…2048.
  ///   - marginFactor: the share of the width and height that is added on each side, 0…4.
  public init(
    rect: MapRect, scale: Scale, cellSize: Double, marginFactor: Double
  ) throws(ImpossibleRequest) {
    try Viewport.check(marginFactor: marginFactor)
    zoomLevel = try Viewport.zoomLevel(rect: rect, scale: scale)
    self.cellSize = cellSize
    grownRect = rect.grown(by: marginFactor)
    cells = try Viewport.cells(covering: grownRect, zoomLevel, cellSize)
  }

  /// The same view in cells of another size.
  public func cells(ofSize cellSize: Double) throws(ImpossibleRequest) -> GridRange {
    try Viewport.cells(covering: grownRect, zoomLevel, cellSize)
  }

  private static func cells(
    covering rect: MapRect, _ zoomLevel: Double, _ cellSize: Double
  ) throws(ImpossibleRequest) -> GridRange {
    try check(cellSize: cellSize)
    let cells = GridRange(grid: CellGrid(zoom: zoomLevel, cellSize: cellSize), covering: rect)
    guard cells.count <= Double(maximumCells) else {
      throw tooManyCells(cells, limit: maximumCells, cellSize: cellSize)
    }
    return cells
  }

  /// Checks a cell size's range.
  public static func check(cellSize: Double) throws(ImpossibleRequest) {
    try ImpossibleRequest.check("cellSize", cellSize, in: 1...2048)
  }

  /// Checks a margin factor's range.
  public static func check(marginFactor: Double) throws(ImpossibleRequest) {
    try ImpossibleRequest.check("marginFactor", marginFactor, in: 0...4)
  }

  /// Checks a scale's range, as far as that can be done without a rectangle.
  public static func check(scale: Scale) throws(ImpossibleRequest) {
    switch scale {
    case .zoom(let zoom): try ImpossibleRequest.check("zoom", zoom, in: 0...24)
    case .viewportWidth(let width):
      guard width > 0, width <= 1e9 else {
        throw ImpossibleRequest(
          field: "viewportWidth",
          detail: "viewportWidth is \(ImpossibleRequest.plain(width)), not above 0 and up to 1e9")
      }
    }
  }

  static func zoomLevel(rect: MapRect, scale: Scale) throws(ImpossibleRequest) -> Double {
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

  /// A zoom to 1/1000, so that panning never flips the grid.
  public static func rounded(_ zoom: Double) -> Double { (zoom * 1000).rounded() / 1000 }

  /// The error for a grid of more cells than a limit, with a cell size or a zoom that would do.
  public static func tooManyCells(
    _ cells: GridRange, limit: Int, cellSize: Double, field: String = "cellSize"
  ) -> ImpossibleRequest {
    ImpossibleRequest(
      field: field,
      detail: "the rect with its margin covers \(ImpossibleRequest.plain(cells.count)) cells, more "
        + "than \(limit); \(cells.remedy(limit: limit, cellSize: cellSize)) would do")
  }
}
