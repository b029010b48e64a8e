/// A straight edge of a shape. Both ends of a point are the same.
struct ShapeEdge: BitwiseCopyable {
  let ax: Double
  let ay: Double
  let bx: Double
  let by: Double
  /// The number of the polygon that it bounds, or -1 if it is a part of a line or a point.
  let polygon: Int32
  /// The number of its ring or line among those of the shape.
  let ring: Int32

  init(_ a: Coordinate, _ b: Coordinate, polygon: Int32, ring: Int32) {
    (ax, ay, bx, by) = (a.longitude, a.latitude, b.longitude, b.latitude)
    (self.polygon, self.ring) = (polygon, ring)
  }

  var west: Double { min(ax, bx) }
  var east: Double { max(ax, bx) }
  var south: Double { min(ay, by) }
  var north: Double { max(ay, by) }

  /// How a point lies to an edge on the way from the point to the east.
  enum Meeting {
    case none, crossed
    /// The point is on the edge.
    case on
  }

  /// Returns how a point lies to the edge. A way through an end counts for the edge that rises from it or
  /// falls to it, so that the ways through a corner are counted once.
  @inline(__always)
  func meeting(_ x: Double, _ y: Double) -> Meeting {
    if y < south || y > north || x > east { return .none }
    let isBetween = (ay > y) != (by > y)
    if x < west { return isBetween ? .crossed : .none }
    let side = Orientation.sign(ax, ay, bx, by, x, y)
    if side == 0 { return .on }
    return isBetween && (side > 0) == (by > ay) ? .crossed : .none
  }
}
