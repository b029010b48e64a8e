extension ShapeEdge {
  /// How an edge lies to the points of a rectangle, as ways from them to the east see it (``meeting(_:_:)``).
  enum Relation {
    /// It may touch the rectangle.
    case touching
    /// It is crossed by the way of no point, or of each.
    case passed, crossed
    /// It doesn't touch the rectangle, and is crossed by the ways of those points between whose latitudes its
    /// ends are.
    case beyond
  }

  /// Returns how the edge lies to a rectangle. `.touching` is always a correct answer.
  @inline(__always)
  func relation(to box: GeoBounds) -> Relation {
    let (south, north) = (south, north)
    if south > box.north || north < box.south || east < box.west { return .passed }
    if west <= box.east {
      @inline(__always)
      func side(_ x: Double, _ y: Double) -> Double {
        Orientation.certainSign(ax, ay, bx, by, x, y)
      }
      let first = side(box.west, box.south)
      if first == 0 { return .touching }
      let others = (
        side(box.east, box.south), side(box.east, box.north), side(box.west, box.north)
      )
      let isLeft = first > 0
      guard others.0 != 0, others.1 != 0, others.2 != 0, (others.0 > 0) == isLeft,
        (others.1 > 0) == isLeft, (others.2 > 0) == isLeft
      else { return .touching }
      // Points to the left of an edge that rises have it in the east.
      guard isLeft == (by > ay) else { return .passed }
    }
    if ay == by { return .passed }
    return south <= box.south && north > box.north ? .crossed : .beyond
  }

  /// Whether the way from a point at a latitude crosses an edge that lies to the east of the point.
  @inline(__always)
  func isCrossed(at y: Double) -> Bool { (ay > y) != (by > y) }

  /// How the way to the east from a point that is known up to a margin meets the edge; nil if that isn't certain.
  @inline(__always)
  func certainMeeting(_ x: Double, _ y: Double, margin: Double) -> Meeting? {
    if y < south - margin || y > north + margin || x > east + margin { return Meeting.none }
    if (ay - y).magnitude <= margin || (by - y).magnitude <= margin { return nil }
    // The latitude is between the ends.
    if x < west - margin { return .crossed }
    let left = (ax - x) * (by - y)
    let right = (ay - y) * (bx - x)
    let determinant = left - right
    // It changes by at most so much within the margin, and less by rounding.
    let slack =
      margin * ((bx - ax).magnitude + (by - ay).magnitude)
      + 0x1p-50 * (left.magnitude + right.magnitude)
    guard determinant.magnitude > slack else { return nil }
    return (determinant > 0) == (by > ay) ? .crossed : Meeting.none
  }
}
