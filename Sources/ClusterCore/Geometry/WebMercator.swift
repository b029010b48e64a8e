import Glibc

/// The projection between degrees and MapKit's map points (spherical Web Mercator, EPSG:3857, with
/// another unit and the origin in the north-west).
public enum WebMercator {
  /// The width and height of the world in map points: MapKit's 2^28.
  public static let worldSize: Double = 268_435_456
  /// All of it.
  static let world = MapRect(x: 0, y: 0, width: worldSize, height: worldSize)
  /// The latitude at which the square world ends, in degrees.
  public static let maximumLatitude: Double = 85.05112878

  /// The map point of a coordinate. Longitude 180 is x = 0; latitudes past ±85.05112878° lie on the
  /// edge.
  ///
  /// `x = (lon + 180)/360·W`, `y = (1/2 − ln((1 + sin φ)/(1 − sin φ))/4π)·W`.
  public static func project(_ coordinate: Coordinate) -> MapPoint {
    MapPoint(x: x(longitude: coordinate.foldedLongitude), y: y(latitude: coordinate.latitude))
  }

  /// The x of a longitude, unwrapped: 180 is W, 190 is past W.
  public static func x(longitude: Double) -> Double { (longitude + 180) / 360 * worldSize }

  /// The y of a latitude, within [0, W].
  public static func y(latitude: Double) -> Double {
    let clamped = min(max(latitude, -maximumLatitude), maximumLatitude)
    let sine = sin(clamped * .pi / 180)
    let y = (0.5 - log((1 + sine) / (1 - sine)) / (4 * .pi)) * worldSize
    return min(max(y, 0), worldSize)
  }

  /// The longitude of an x, unwrapped: an x past the world gives a longitude past ±180.
  public static func longitude(x: Double) -> Double { x / worldSize * 360 - 180 }

  /// The latitude of a y in the world, the inverse of ``y(latitude:)``.
  public static func latitude(y: Double) -> Double {
    atan(sinh(.pi * (1 - 2 * y / worldSize))) * 180 / .pi
  }
}
