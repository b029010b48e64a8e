/// The three ways in which clients name the rectangle they show, each turned into map points.
public enum VisibleRect {
  /// Longitudes that are accepted: maps that wrap around count on past ±180.
  private static let longitudes: ClosedRange<Double> = -1_000_000...1_000_000
  private static let mapPoints: ClosedRange<Double> = -1e15...1e15

  /// The rectangle of a bbox in degrees; it crosses the antimeridian where west > east or a value
  /// lies beyond ±180.
  public static func bbox(
    west: Double, south: Double, east: Double, north: Double
  ) throws(ImpossibleRequest) -> MapRect {
    try checkBBox(west: west, south: south, east: east, north: north)
    var end = east
    if west > east { end += ((west - east) / 360).rounded(.up) * 360 }
    return rect(west: west, south: south, east: end, north: north)
  }

  /// Checks the ranges and the order of a bbox's values.
  static func checkBBox(
    west: Double, south: Double, east: Double, north: Double
  ) throws(ImpossibleRequest) {
    try checkRange("bbox", "longitude", west, longitudes)
    try checkRange("bbox", "longitude", east, longitudes)
    try checkRange("bbox", "latitude", south, -90...90)
    try checkRange("bbox", "latitude", north, -90...90)
    guard south <= north else {
      throw ImpossibleRequest(
        field: "bbox", detail: "bbox is west,south,east,north: its south lies above its north")
    }
  }

  /// The rectangle of a centre and a span in degrees (MapKit's region): edges at the centre ± half
  /// the span, cut at the poles.
  public static func region(
    center: Coordinate, latitudeDelta: Double, longitudeDelta: Double
  ) throws(ImpossibleRequest) -> MapRect {
    try checkRange("region", "latitude of the center", center.latitude, -90...90)
    try checkRange("region", "longitude of the center", center.longitude, longitudes)
    try checkRange("region", "latitudeDelta", latitudeDelta, 0...longitudes.upperBound)
    try checkRange("region", "longitudeDelta", longitudeDelta, 0...longitudes.upperBound)
    return rect(
      west: center.longitude - longitudeDelta / 2,
      south: max(center.latitude - latitudeDelta / 2, -90),
      east: center.longitude + longitudeDelta / 2,
      north: min(center.latitude + latitudeDelta / 2, 90))
  }

  /// A rectangle that is in map points already.
  public static func mapRect(_ rect: MapRect) throws(ImpossibleRequest) -> MapRect {
    try checkRange("visibleMapRect", "x", rect.x, mapPoints)
    try checkRange("visibleMapRect", "y", rect.y, mapPoints)
    try checkRange("visibleMapRect", "width", rect.width, 0...mapPoints.upperBound)
    try checkRange("visibleMapRect", "height", rect.height, 0...mapPoints.upperBound)
    return rect
  }

  private static func rect(
    west: Double, south: Double, east: Double, north: Double
  ) -> MapRect {
    let x = WebMercator.x(longitude: west)
    let y = WebMercator.y(latitude: north)
    return MapRect(
      x: x, y: y, width: WebMercator.x(longitude: east) - x,
      height: WebMercator.y(latitude: south) - y)
  }

  private static func checkRange(
    _ field: String, _ part: String, _ value: Double, _ range: ClosedRange<Double>
  ) throws(ImpossibleRequest) {
    guard range.contains(value) else {
      throw ImpossibleRequest(
        field: field,
        detail: "the \(part) of \(field) is \(ImpossibleRequest.plain(value)), outside of "
          + "\(ImpossibleRequest.plain(range.lowerBound))…"
          + ImpossibleRequest.plain(range.upperBound))
    }
  }
}
