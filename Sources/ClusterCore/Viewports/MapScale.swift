/// How far one point of a map reaches at a zoom, in map points.
enum MapScale {
  static func mapPointsPerPoint(zoom: Double) -> Double {
    WebMercator.worldSize / (256 * exponential2(zoom))
  }
}
