/// Conversions of the three forms in which clients specify the visible rectangle into map points.
public enum VisibleRect {
  /// Maps that wrap around continue past ±180.
  private static let longitudes: ClosedRange<Double> = -1_000_000...1_000_000
  private static let mapPoints: ClosedRange<Double> = -1e15...1e15

  /// The rectangle of a bbox in degrees. It crosses the antimeridian if west > east or a longitude is
  /// beyond ±180.
  ///
  /// - Throws: ``ImpossibleRequest`` if an edge is out of range, or south is above north.
  public static func bbox(
    west: Double, south: Double, east: Double, north: Double
  ) throws(ImpossibleRequest) -> MapRect {
    try checkBBox(west: west, south: south, east: east, north: north)
    var end = east
    if west > east { end += ((west - east) / 360).rounded(.up) * 360 }
    return GeoBounds(west: west, south: south, east: end, north: north).mapRect
  }

  /// Throws unless the values of a bbox are in range and its south is not above its north.
  static func checkBBox(
    west: Double, south: Double, east: Double, north: Double
  ) throws(ImpossibleRequest) {
    for (part, value, range) in [
      ("longitude", west, longitudes), ("longitude", east, longitudes),
      ("latitude", south, -90...90), ("latitude", north, -90...90),
    ] {
      try ImpossibleRequest.check("bbox", part: part, value, in: range)
    }
    guard south <= north else {
      throw ImpossibleRequest(
        field: "bbox", detail: "bbox is west,south,east,north: its south lies above its north")
    }
  }

  /// The rectangle of a centre and a span in degrees (MapKit's region). Its edges are half the span
  /// from the centre, limited by the poles.
  ///
  /// - Throws: ``ImpossibleRequest`` if the centre or the span is out of range.
  public static func region(
    center: Coordinate, latitudeDelta: Double, longitudeDelta: Double
  ) throws(ImpossibleRequest) -> MapRect {
    for (part, value, range) in [
      ("latitude of the center", center.latitude, -90...90),
      ("longitude of the center", center.longitude, longitudes),
      ("latitudeDelta", latitudeDelta, 0...longitudes.upperBound),
      ("longitudeDelta", longitudeDelta, 0...longitudes.upperBound),
    ] {
      try ImpossibleRequest.check("region", part: part, value, in: range)
    }
    return GeoBounds(
      west: center.longitude - longitudeDelta / 2,
      south: max(center.latitude - latitudeDelta / 2, -90),
      east: center.longitude + longitudeDelta / 2,
      north: min(center.latitude + latitudeDelta / 2, 90)
    ).mapRect
  }

  /// The rectangle itself, if its values are in range.
  ///
  /// - Throws: ``ImpossibleRequest`` if a value is out of range.
  public static func mapRect(_ rect: MapRect) throws(ImpossibleRequest) -> MapRect {
    for (part, value, range) in [
      ("x", rect.x, mapPoints), ("y", rect.y, mapPoints),
      ("width", rect.width, 0...mapPoints.upperBound),
      ("height", rect.height, 0...mapPoints.upperBound),
    ] {
      try ImpossibleRequest.check("visibleMapRect", part: part, value, in: range)
    }
    return rect
  }
}
