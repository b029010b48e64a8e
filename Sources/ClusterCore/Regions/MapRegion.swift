/// The features of a rectangle in map points: west and north edges in, east and south edges out, but
/// for the world's own edges; across the antimeridian where the rectangle reaches past it.
public struct MapRegion: IndexRegion, Sendable {
  private let top: Double
  private let bottom: Double
  /// One half-open interval of x, or two where the rectangle crosses the antimeridian.
  private let first: Range<Double>
  private let second: Range<Double>

  /// The region of a rectangle; one at least as wide as the world is the whole circle.
  public init(_ rect: MapRect) {
    let world = WebMercator.worldSize
    top = rect.y
    // The world's own edges are in: nothing lies south of the southern one, so that a bound on or
    // past it is none, and a rect that ends on the northern one holds what lies on it.
    let south = rect.y + rect.height
    bottom = south >= world ? .infinity : south == 0 ? .leastNonzeroMagnitude : south
    if rect.width >= world {
      (first, second) = (0..<world * 2, 0..<0)
      return
    }
    var start = rect.x.truncatingRemainder(dividingBy: world)
    if start < 0 { start += world }
    if start >= world { start = 0 }
    // x itself where it is in the world, so that no bit is lost.
    let end = (rect.x >= 0 && rect.x < world ? rect.x : start) + rect.width
    // A longitude a hair under 180 may round to x = W, which belongs to the east of the world.
    first = start..<(end >= world ? 2 * world : max(start, end))
    second = end > world ? 0..<(end - world) : 0..<0
  }

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    coverage(of: pointers.nodes[node].box)
  }

  @inline(__always)
  private func coverage(of box: PositionBox) -> Coverage {
    let step = Position.stepsPerMapPoint
    // The points lie in [min, max) of these: a position is the floor of its point. A point on the
    // world's far edge is the exception and lies above its step.
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

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    switch coverage(of: PositionBox(pointers.positions[ordinal])) {
    case .inside: return true
    case .outside: return false
    case .partial: break
    }
    let point = WebMercator.project(pointers.coordinates[ordinal])
    return point.y >= top && point.y < bottom
      && (first.contains(point.x) || second.contains(point.x))
  }
}
