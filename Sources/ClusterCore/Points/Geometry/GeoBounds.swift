/// The smallest rectangle in degrees around some coordinates. It never crosses the antimeridian,
/// and longitude 180 counts as −180.
public struct GeoBounds: Hashable, Sendable, BitwiseCopyable {
  /// Degrees east of the western edge.
  public var west: Double
  /// Degrees north of the southern edge.
  public var south: Double
  /// Degrees east of the eastern edge.
  public var east: Double
  /// Degrees north of the northern edge.
  public var north: Double

  /// Creates bounds from their edges.
  public init(west: Double, south: Double, east: Double, north: Double) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// The bounds of no coordinates: the neutral element of ``formUnion(_:)``.
  public static let empty = GeoBounds(
    west: .infinity, south: .infinity, east: -.infinity, north: -.infinity)

  /// Creates the bounds of one coordinate.
  public init(_ coordinate: Coordinate) {
    let longitude = coordinate.foldedLongitude
    self.init(
      west: longitude, south: coordinate.latitude, east: longitude, north: coordinate.latitude)
  }

  /// Whether these are the bounds of no coordinates.
  public var isEmpty: Bool { west > east }

  /// Extends these bounds to include others.
  @inline(__always)
  public mutating func formUnion(_ other: GeoBounds) {
    west = min(west, other.west)
    south = min(south, other.south)
    east = max(east, other.east)
    north = max(north, other.north)
  }

  /// The bounds with longitude 180, which only those of a single feature can have, as −180.
  public var folded: GeoBounds {
    west == 180 ? GeoBounds(west: -180, south: south, east: -180, north: north) : self
  }

  /// The same rectangle in map points. Its edges may be beyond ±180°.
  public var mapRect: MapRect {
    let x = WebMercator.x(longitude: west)
    let y = WebMercator.y(latitude: north)
    return MapRect(
      x: x, y: y, width: WebMercator.x(longitude: east) - x,
      height: WebMercator.y(latitude: south) - y)
  }
}

/// Whether a region contains all, none or some of a node's points.
enum Coverage {
  case outside, inside, partial
}
