/// A position on the Earth in degrees, WGS 84.
public struct Coordinate: Hashable, Sendable, BitwiseCopyable {
  /// Degrees north, −90…90.
  public var latitude: Double
  /// Degrees east, −180…180.
  public var longitude: Double

  /// Creates a coordinate from degrees without checking or normalising them.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The longitude in sums and bounds: 180 counts as −180, so the antimeridian has one value.
  public var foldedLongitude: Double { longitude == 180 ? -180 : longitude }
}
