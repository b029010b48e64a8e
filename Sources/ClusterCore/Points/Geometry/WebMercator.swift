import Glibc

/// The projection between degrees and MapKit's map points: spherical Web Mercator (EPSG:3857) with
/// a different unit and the origin in the north-west.
public enum WebMercator {
  /// The width and height of the world in map points, 2^28 as in MapKit.
  public static let worldSize: Double = 268_435_456
  /// The whole world.
  static let world = MapRect(x: 0, y: 0, width: worldSize, height: worldSize)
  /// The latitude at which the square world ends, in degrees.
  public static let maximumLatitude: Double = 85.05112878

  /// Returns the number of map points that a point on the screen covers at a zoom.
  static func mapPointsPerPoint(zoom: Double) -> Double { worldSize / (256 * exponential2(zoom)) }

  /// Returns the map point of a coordinate. Longitude 180 has x = 0. Latitudes beyond ±85.05112878°
  /// are on the edge.
  ///
  /// `x = (lon + 180)/360·W`, `y = (1/2 − ln((1 + sin φ)/(1 − sin φ))/4π)·W`.
  public static func project(_ coordinate: Coordinate) -> MapPoint {
    MapPoint(x: x(longitude: coordinate.foldedLongitude), y: y(latitude: coordinate.latitude))
  }

  /// Returns the unwrapped x of a longitude: that of 180 is W, that of 190 is larger.
  public static func x(longitude: Double) -> Double { (longitude + 180) / 360 * worldSize }

  /// Returns the y of a latitude, within [0, W].
  public static func y(latitude: Double) -> Double {
    let clamped = min(max(latitude, -maximumLatitude), maximumLatitude)
    let sine = sin(clamped * .pi / 180)
    let y = (0.5 - log((1 + sine) / (1 - sine)) / (4 * .pi)) * worldSize
    return min(max(y, 0), worldSize)
  }

  /// Returns the unwrapped longitude of an x: beyond the world it is beyond ±180.
  public static func longitude(x: Double) -> Double { x / worldSize * 360 - 180 }

  /// Returns the latitude of a y in the world. This is the inverse of ``y(latitude:)``.
  public static func latitude(y: Double) -> Double {
    atan(sinh(.pi * (1 - 2 * y / worldSize))) * 180 / .pi
  }
}

/// A position on MapKit's square world, in map points; see ``WebMercator``.
public struct MapPoint: Hashable, Sendable {
  /// Map points east of 180° W.
  public var x: Double
  /// Map points south of the northern edge.
  public var y: Double

  /// Creates a map point without checking or wrapping it.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}

/// A rectangle in map points. Where it extends past the world, x wraps around and y is clipped.
public struct MapRect: Hashable, Sendable {
  /// The western edge.
  public var x: Double
  /// The northern edge.
  public var y: Double
  /// The extent eastwards.
  public var width: Double
  /// The extent southwards.
  public var height: Double

  /// Creates a rectangle from its north-western corner and its size.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Returns the rectangle grown on each side by `factor` times its width or height.
  public func grown(by factor: Double) -> MapRect {
    let (dx, dy) = (width * factor, height * factor)
    return MapRect(x: x - dx, y: y - dy, width: width + 2 * dx, height: height + 2 * dy)
  }
}

/// Returns 2 raised to a power, exactly for integers.
func exponential2(_ exponent: Double) -> Double { pow(2, exponent) }

/// Returns the logarithm to base 2.
func logarithm2(_ value: Double) -> Double { log2(value) }
