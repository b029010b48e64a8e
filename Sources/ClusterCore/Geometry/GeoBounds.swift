/// The smallest rectangle in degrees around some coordinates, not crossing the antimeridian:
/// longitude 180 counts as −180.
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

  /// The bounds of nothing: the neutral element of ``formUnion(_:)``.
  public static let empty = GeoBounds(
    west: .infinity, south: .infinity, east: -.infinity, north: -.infinity)

  /// The bounds of one coordinate.
  public init(_ coordinate: Coordinate) {
    let longitude = coordinate.foldedLongitude
    self.init(
      west: longitude, south: coordinate.latitude, east: longitude, north: coordinate.latitude)
  }

  /// Whether nothing lies in them.
  public var isEmpty: Bool { west > east }

  /// Grows the bounds to hold others.
  @inline(__always)
  public mutating func formUnion(_ other: GeoBounds) {
    west = min(west, other.west)
    south = min(south, other.south)
    east = max(east, other.east)
    north = max(north, other.north)
  }

  /// With longitude 180 as −180. (Only the bounds of a single feature have 180.)
  public var folded: GeoBounds {
    west == 180 ? GeoBounds(west: -180, south: south, east: -180, north: north) : self
  }

  /// The same rectangle in map points.
  public var mapRect: MapRect {
    let x = WebMercator.x(longitude: west)
    let y = WebMercator.y(latitude: north)
    return MapRect(
      x: x, y: y, width: WebMercator.x(longitude: east) - x,
      height: WebMercator.y(latitude: south) - y)
  }
}
