/// A position on the Earth in degrees, WGS 84.
public struct Coordinate: Hashable, Sendable, BitwiseCopyable {
  /// Degrees north, −90…90.
  public var latitude: Double
  /// Degrees east, −180…180.
  public var longitude: Double

  /// Creates a coordinate from degrees; nothing is checked or normalised.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The longitude used where several features are summed or bounded: 180 counts as −180, so that
  /// the two names of one meridian are one number.
  public var foldedLongitude: Double { longitude == 180 ? -180 : longitude }
}
