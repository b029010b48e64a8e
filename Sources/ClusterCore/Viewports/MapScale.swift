/// Conversions between points on the screen and map points.
enum MapScale {
  /// The number of map points that one point on the screen covers at a zoom.
  static func mapPointsPerPoint(zoom: Double) -> Double {
    WebMercator.worldSize / (256 * exponential2(zoom))
  }
}
