/// The convex hull of some features on the Mercator plane.
///
/// It is the hull of their positions, hence exact to a step, which is less than a centimetre, and the same
/// whatever the order in which features came. Its corners are the coordinates of features: of several at one
/// position, that of the first in index order.
public struct Hull: Equatable, Sendable {
  /// The corners: one if all features are at one position, two if all are on a line, otherwise those of a
  /// polygon, counter-clockwise with north up and beginning with the westernmost, of several the
  /// northernmost. No corner is between two others.
  ///
  /// Across the antimeridian the longitudes go on beyond 180; the westernmost one is in [−180, 180).
  public var corners: [Coordinate]

  /// Creates the hull of one feature.
  init(only coordinate: Coordinate) {
    corners = [
      Coordinate(latitude: coordinate.latitude, longitude: coordinate.foldedLongitude)
    ]
  }

  /// Creates a hull from its corners as points.
  ///
  /// - Parameter coordinate: Returns the coordinate of the first feature at a position.
  init(_ points: [HullPoint], coordinate: (Position) -> Coordinate) {
    corners = points.map { point in
      var corner = coordinate(point.position)
      corner.longitude = corner.foldedLongitude + (point.isTurned ? 360 : 0)
      return corner
    }
  }
}
