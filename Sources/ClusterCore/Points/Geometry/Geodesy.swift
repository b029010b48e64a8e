import Glibc

/// Distances on a spherical Earth.
public enum Geodesy {
  /// The Earth's radius in metres, as clients' declustering routines use it.
  public static let earthRadius: Double = 6_378_100

  /// Returns the coordinate `distance` metres from `origin` along the great circle with an initial
  /// bearing in radians, clockwise from north. The longitude is within [−180, 180).
  ///
  /// `φ' = asin(sin φ cos δ + cos φ sin δ cos θ)`,
  /// `λ' = λ + atan2(sin θ sin δ cos φ, cos δ − sin φ sin φ')` with `δ = distance/R`.
  public static func destination(
    from origin: Coordinate, distance: Double, bearing: Double
  ) -> Coordinate {
    let latitude = origin.latitude * .pi / 180
    let longitude = origin.longitude * .pi / 180
    let angle = distance / earthRadius
    let sine = sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(bearing)
    let newLatitude = asin(min(max(sine, -1), 1))
    let newLongitude =
      longitude
      + atan2(sin(bearing) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * sine)
    return Coordinate(
      latitude: newLatitude * 180 / .pi,
      longitude: normalisedLongitude(newLongitude * 180 / .pi))
  }

  /// Returns a longitude wrapped into [−180, 180). Values within the range are returned unchanged.
  public static func normalisedLongitude(_ degrees: Double) -> Double {
    if degrees >= -180 && degrees < 180 { return degrees }
    var rest = fmod(degrees + 180, 360)
    if rest < 0 { rest += 360 }
    let folded = rest - 180
    return folded < 180 ? folded : -180
  }
}
