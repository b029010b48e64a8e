import Glibc

/// The arrangement of pins of features that share a coordinate.
public struct PinSpread: Hashable, Sendable {
  /// The figures in which pins are placed.
  public enum Figure: String, CaseIterable, Sendable {
    /// A circle, which grows with the number of pins, so that neighbours are about `π·d` apart.
    case circle
    /// A sunflower's spiral, in which all pins are about as far apart.
    case spiral
  }

  /// The units of distances.
  public enum Unit: String, CaseIterable, Sendable {
    case meters, points
  }

  /// The figure.
  public var figure: Figure
  /// The distance d, in metres or points.
  public var distance: Double
  /// The map points that a point covers; nil where distances are in metres.
  public var mapPointsPerPoint: Double?

  /// Creates the circle of a distance in metres.
  public init(distance: Double) {
    (figure, self.distance) = (.circle, distance)
  }

  /// The angle between pins of a spiral that follow each other, in degrees.
  static let goldenAngle = 137.50776405

  /// Returns the place of pin number `rank` of `count` around a coordinate: itself if there are no others.
  func place(of rank: Int, of count: Int, around origin: Coordinate) -> Coordinate {
    guard count > 1 else { return origin }
    let (reach, bearing): (Double, Double)
    switch figure {
    case .circle:
      (reach, bearing) = (
        distance * Double(count) / 2, 2 * Double.pi * Double(rank) / Double(count)
      )
    case .spiral:
      let turn = (Double(rank) * PinSpread.goldenAngle).truncatingRemainder(dividingBy: 360)
      (reach, bearing) = (distance * (Double(rank) + 0.5).squareRoot(), turn * .pi / 180)
    }
    guard reach > 0 else {
      // The formula leaves the pin where it is; this avoids its rounding errors.
      let longitude = Geodesy.normalisedLongitude(origin.longitude)
      return Coordinate(latitude: origin.latitude, longitude: longitude)
    }
    guard let mapPointsPerPoint else {
      return Geodesy.destination(from: origin, distance: reach, bearing: bearing)
    }
    return PinSpread.destination(
      from: origin, distance: reach * mapPointsPerPoint, bearing: bearing)
  }

  /// Returns the coordinate some map points from another one on the plane of the map, cut at its northern and
  /// southern edges. The longitude is within [−180, 180).
  private static func destination(
    from origin: Coordinate, distance: Double, bearing: Double
  ) -> Coordinate {
    let point = WebMercator.project(origin)
    let y = min(max(point.y - distance * cos(bearing), 0), WebMercator.worldSize)
    let longitude = WebMercator.longitude(x: point.x + distance * sin(bearing))
    return Coordinate(
      latitude: WebMercator.latitude(y: y), longitude: Geodesy.normalisedLongitude(longitude))
  }
}
