/// A geometry that a filter compares features with: points, lines, polygons and envelopes on the plane of
/// longitude and latitude, and discs on the globe. A point is in the shape if it is in any of its parts or on the boundary of one.
///
/// A polygon's points are those from which a ray crosses its rings an odd number of times.
public final class Shape: Hashable, Sendable {
  /// Its parts.
  public let parts: [ShapePart]
  /// The number of points that describe it.
  public let cornerCount: Int
  /// The edges, those of a polygon one after the other.
  let edges: ShapeEdges
  /// The envelopes. Those across the antimeridian are in two pieces.
  let envelopes: [GeoBounds]
  /// The discs.
  let discs: [GlobeDisc]

  private let hash: Int

  /// The most corners of a shape.
  public static let maximumCorners = 10_000

  /// Creates a shape of at least one part.
  ///
  /// - Throws: ``ShapeError`` if it has too many corners, is beyond ±180 and ±90 degrees or makes no sense,
  ///   such as a polygon that crosses itself.
  /// - Complexity: O(c log c) for c corners.
  public init(_ parts: [ShapePart]) throws(ShapeError) {
    self.parts = parts
    cornerCount = parts.reduce(0) { $0 + $1.cornerCount }
    guard cornerCount <= Shape.maximumCorners else {
      throw ShapeError(
        "the geometry has \(cornerCount) corners, more than \(Shape.maximumCorners)")
    }
    var (list, envelopes) = (ShapeEdgeList(), [GeoBounds]())
    for part in parts { try list.add(part, to: &envelopes) }
    edges = ShapeEdges(list.edges)
    self.envelopes = envelopes
    discs = parts.compactMap { if case .disc(let disc) = $0 { disc } else { nil } }
    var hasher = Hasher()
    hasher.combine(parts)
    hash = hasher.finalize()
    try ShapeCheck(edges, list.rings).check()
  }

  /// Whether both have the same parts.
  public static func == (a: Shape, b: Shape) -> Bool {
    a === b || (a.hash == b.hash && a.parts == b.parts)
  }

  /// Feeds a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// The approximate memory it takes, in bytes.
  public var byteCount: Int { 256 + cornerCount * 120 }

  /// Returns exactly whether a point is in the shape.
  ///
  /// - Complexity: O(corners) at worst.
  public func contains(_ point: Coordinate) -> Bool {
    let (x, y) = (point.longitude, point.latitude)
    for box in envelopes where x >= box.west && x <= box.east && y >= box.south && y <= box.north {
      return true
    }
    if discs.contains(where: { $0.contains(point) }) { return true }
    if x < edges.bounds.west || x > edges.bounds.east { return false }
    var (isOdd, isOn, polygon) = (false, false, Int32(-1))
    edges.forEach(near: y) { edge in
      if edge.polygon != polygon {
        // The polygon before is done.
        if isOdd { return false }
        polygon = edge.polygon
      }
      switch edge.meeting(x, y) {
      case .none: break
      case .on:
        isOn = true
        return false
      case .crossed: if polygon >= 0 { isOdd.toggle() }
      }
      return true
    }
    return isOn || isOdd
  }

  /// Returns whether all, none or some of a rectangle is in the shape. `partial` is always a correct answer.
  func coverage(of rectangle: GeoBounds) -> Coverage {
    var touches = false
    for envelope in envelopes {
      switch envelope.coverage(of: rectangle) {
      case .inside: return .inside
      case .outside: break
      case .partial: touches = true
      }
    }
    for disc in discs {
      switch disc.coverage(of: rectangle) {
      case .inside: return .inside
      case .outside: break
      case .partial: touches = true
      }
    }
    if touches || edges.mayTouch(rectangle) { return .partial }
    // No boundary goes through the rectangle, so one of its points tells for all.
    return contains(Coordinate(latitude: rectangle.south, longitude: rectangle.west))
      ? .inside : .outside
  }
}

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

/// The reason why there is no such shape.
public struct ShapeError: Error, Hashable, Sendable {
  /// A sentence for the client.
  public let detail: String
  /// Whether a coordinate is none on Earth.
  public let isBeyondWorld: Bool

  init(_ detail: String, isBeyondWorld: Bool = false) {
    (self.detail, self.isBeyondWorld) = (detail, isBeyondWorld)
  }
}

extension GeoBounds {
  /// How much of a rectangle is in this one, whose edges belong to it.
  func coverage(of other: GeoBounds) -> Coverage {
    if west > other.east || east < other.west || south > other.north || north < other.south {
      return .outside
    }
    let isWithin =
      west <= other.west && east >= other.east && south <= other.south && north >= other.north
    return isWithin ? .inside : .partial
  }
}
