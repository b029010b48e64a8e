/// The features of a rectangle in map points, with its west and north edges and those of the world but
/// without its other edges. It may extend across the antimeridian.
public struct MapRegion: BoxRegion {
  private let top: Double
  private let bottom: Double
  /// The half-open interval of x, or the first of two if the rectangle crosses the antimeridian.
  private let first: Range<Double>
  private let second: Range<Double>

  /// Its area in square map points; infinity if it ends with the world.
  public var area: Double {
    (bottom - top) * (first.upperBound - first.lowerBound + second.upperBound - second.lowerBound)
  }

  /// Creates the region of a rectangle. One at least as wide as the world is the full circle.
  public init(_ rect: MapRect) {
    let world = WebMercator.worldSize
    top = rect.y
    // The world's own edges are included: a bound on or past the southern edge excludes nothing,
    // and a rectangle that ends on the northern edge contains the features on it.
    let south = rect.y + rect.height
    bottom = south >= world ? .infinity : south == 0 ? .leastNonzeroMagnitude : south
    if rect.width >= world {
      (first, second) = (0..<world * 2, 0..<0)
      return
    }
    var start = rect.x.truncatingRemainder(dividingBy: world)
    if start < 0 { start += world }
    if start >= world { start = 0 }
    // Uses x itself if it is within the world, so that no bit is lost.
    let end = (rect.x >= 0 && rect.x < world ? rect.x : start) + rect.width
    // A longitude slightly below 180 may round to x = W, which belongs to the east of the world.
    first = start..<(end >= world ? 2 * world : max(start, end))
    second = end > world ? 0..<(end - world) : 0..<0
  }

  @inline(__always)
  func coverage(of box: PositionBox) -> Coverage {
    let step = Position.stepsPerMapPoint
    // A position is the floor of its point, so the points are within these half-open ranges, except
    // that a point on the world's far edge is above its step.
    let west = Double(box.minX) / step
    let east = (Double(box.maxX) + 1) / step
    let north = Double(box.minY) / step
    let south = (Double(box.maxY) + 1) / step
    if south < top || north >= bottom { return .outside }
    if !touches(west, east, first) && !touches(west, east, second) { return .outside }
    let inside =
      north >= top && south < bottom
      && (holds(west, east, first) || holds(west, east, second))
    return inside ? .inside : .partial
  }

  private func touches(_ west: Double, _ east: Double, _ range: Range<Double>) -> Bool {
    west < range.upperBound && east >= range.lowerBound && !range.isEmpty
  }

  private func holds(_ west: Double, _ east: Double, _ range: Range<Double>) -> Bool {
    west >= range.lowerBound && east < range.upperBound
  }

  func contains(_ coordinate: Coordinate) -> Bool {
    let point = WebMercator.project(coordinate)
    return point.y >= top && point.y < bottom
      && (first.contains(point.x) || second.contains(point.x))
  }
}
