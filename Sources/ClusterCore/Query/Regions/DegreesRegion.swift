/// The features of a bbox in degrees, with its west and south edges and the North Pole but without its
/// other edges. It crosses the antimeridian if west > east. Longitude 180 counts as −180.
public struct DegreesRegion: BoxRegion {
  private let south: Double
  private let north: Double
  /// The longitudes; `second` is empty unless the bbox crosses the antimeridian.
  private let first: Range<Double>
  private let second: Range<Double>
  // The same intervals in steps.
  private let rows: StepWindow
  private let firstColumns: StepWindow
  private let secondColumns: StepWindow

  /// Its extent in square degrees, as on a map whose degrees are all as large.
  public var area: Double {
    (north - south) * (first.upperBound - first.lowerBound + second.upperBound - second.lowerBound)
  }

  /// Creates the region of a bbox. `east − west ≥ 360` is the full circle.
  ///
  /// - Throws: ``ImpossibleRequest`` if south is above north or a value is out of range.
  public init(west: Double, south: Double, east: Double, north: Double) throws(ImpossibleRequest) {
    try VisibleRect.checkBBox(west: west, south: south, east: east, north: north)
    self.south = south
    self.north = north
    (first, second) = DegreesRegion.longitudes(west: west, east: east)
    rows = StepWindow(DegreesRegion.step(latitude: north), DegreesRegion.step(latitude: south))
    firstColumns = DegreesRegion.columns(first)
    secondColumns = DegreesRegion.columns(second)
  }

  private static func longitudes(west: Double, east: Double) -> (Range<Double>, Range<Double>) {
    let none = 0..<0.0
    if east - west >= 360 { return (-180..<180, none) }
    let start = Geodesy.normalisedLongitude(west)
    let end = Geodesy.normalisedLongitude(east)
    if start == end { return (start..<start, none) }
    return start < end ? (start..<end, none) : (start..<180, -180..<end)
  }

  private static func step(latitude: Double) -> UInt32 {
    Position(Coordinate(latitude: latitude, longitude: 0)).y
  }

  private static func columns(_ range: Range<Double>) -> StepWindow {
    // Not folded, so that 180 is the eastern edge.
    func step(_ longitude: Double) -> UInt32 {
      Position(MapPoint(x: WebMercator.x(longitude: longitude), y: 0)).x
    }
    return range.isEmpty ? .empty : StepWindow(step(range.lowerBound), step(range.upperBound))
  }

  @inline(__always)
  func coverage(of box: PositionBox) -> Coverage {
    let rows = rows.coverage(box.minY, box.maxY)
    if rows == .outside { return .outside }
    let columns = firstColumns.coverage(box.minX, box.maxX)
    let others = secondColumns.coverage(box.minX, box.maxX)
    if columns == .outside && others == .outside { return .outside }
    // Features beyond the projection are on the world's edges, too.
    if box.isPolar { return .partial }
    return rows == .inside && (columns == .inside || others == .inside) ? .inside : .partial
  }

  func contains(_ coordinate: Coordinate) -> Bool {
    let (latitude, longitude) = (coordinate.latitude, coordinate.foldedLongitude)
    return latitude >= south && (latitude < north || (north == 90 && latitude == north))
      && (first.contains(longitude) || second.contains(longitude))
  }
}

/// An interval of degrees on one axis in position steps, which decides about most features without
/// reading their coordinates.
struct StepWindow {
  /// Positions outside these steps are outside the interval.
  let outer: ClosedRange<UInt32>?
  /// Positions strictly between these steps are inside the interval.
  let inner: (low: UInt32, high: UInt32)

  /// Creates the interval between the steps of its ends, in either order.
  init(_ a: UInt32, _ b: UInt32) {
    // The projection is monotone except for rounding errors, which are far smaller than a step.
    let (low, high) = (min(a, b), max(a, b))
    outer = (low == 0 ? 0 : low - 1)...(high == .max ? .max : high + 1)
    inner = (low == .max ? .max : low + 1, high == 0 ? 0 : high - 1)
  }

  private init() { (outer, inner) = (nil, (.max, 0)) }

  /// The empty interval.
  static let empty = StepWindow()

  /// Returns how much of a range of steps is in the interval.
  @inline(__always)
  func coverage(_ low: UInt32, _ high: UInt32) -> Coverage {
    guard let outer, low <= outer.upperBound, high >= outer.lowerBound else { return .outside }
    return low > inner.low && high < inner.high ? .inside : .partial
  }
}
