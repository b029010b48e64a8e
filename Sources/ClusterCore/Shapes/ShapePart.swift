/// A simple part of a ``Shape``, in degrees on the plane of longitude and latitude, or on the globe.
public enum ShapePart: Hashable, Sendable {
  /// A point.
  case point(Coordinate)
  /// A line through at least two points.
  case line([Coordinate])
  /// A polygon: its outer ring, then its holes. Each ring ends where it begins.
  case polygon([[Coordinate]])
  /// A rectangle with its edges. It crosses the antimeridian if its west is greater than its east.
  case envelope(GeoBounds)
  /// The places within some distance on the globe.
  case disc(GlobeDisc)

  /// The number of points that describe it.
  public var cornerCount: Int {
    switch self {
    case .point: 1
    // It takes about as much work.
    case .disc: 32
    case .line(let points): points.count
    case .polygon(let rings): rings.reduce(0) { $0 + $1.count }
    case .envelope: 2
    }
  }
}
