import Glibc

/// The view in which a client shows one feature: a region around it of at least some metres, in the
/// shape of the screen.
public struct FeatureView: Sendable {
  /// The region, centred on the feature; its x may be negative or reach past the world.
  public let rect: MapRect
  /// The screen's width in points.
  public let width: Double
  /// The screen's height in points.
  public let height: Double

  /// The view of a coordinate.
  ///
  /// Half the height is the larger of the distances, in map points, to the latitudes half of
  /// `latitudinalMeters` north and south of it; half the width is that of half of
  /// `longitudinalMeters` at its latitude. Then the smaller side is widened to the screen's aspect.
  ///
  /// - Throws: ``ImpossibleRequest`` where a value is not above 0, or beyond all measure.
  public init(
    of coordinate: Coordinate, latitudinalMeters: Double, longitudinalMeters: Double,
    width: Double, height: Double
  ) throws(ImpossibleRequest) {
    let sizes = [
      ("latitudinalMeters", latitudinalMeters), ("longitudinalMeters", longitudinalMeters),
      ("viewportWidth", width), ("viewportHeight", height),
    ]
    for (field, value) in sizes {
      guard value > 0, value <= FeatureView.maximum else {
        throw ImpossibleRequest(
          field: field,
          detail: "\(field) is \(ImpossibleRequest.plain(value)), not above 0 and up to 1e9")
      }
    }
    let centre = WebMercator.project(coordinate)
    let maximum = WebMercator.maximumLatitude
    let latitude = min(max(coordinate.latitude, -maximum), maximum)
    let degrees = latitudinalMeters / 2 / Geodesy.earthRadius * 180 / .pi
    let halfHeight = max(
      centre.y - WebMercator.y(latitude: latitude + degrees),
      WebMercator.y(latitude: latitude - degrees) - centre.y)
    let radius = Geodesy.earthRadius * cos(latitude * .pi / 180)
    let halfWidth = longitudinalMeters / 2 / radius / (2 * .pi) * WebMercator.worldSize
    let aspect = width / height
    let halfSize = (
      x: max(halfWidth, halfHeight * aspect), y: max(halfHeight, halfWidth / aspect)
    )
    rect = MapRect(
      x: centre.x - halfSize.x, y: centre.y - halfSize.y, width: 2 * halfSize.x,
      height: 2 * halfSize.y)
    self.width = width
    self.height = height
  }

  private static let maximum: Double = 1e9

  /// The region in degrees; longitudes go on past ±180, latitudes end where the projection does.
  public var bounds: GeoBounds {
    let world = WebMercator.worldSize
    return GeoBounds(
      west: WebMercator.longitude(x: rect.x),
      south: WebMercator.latitude(y: min(max(rect.y + rect.height, 0), world)),
      east: WebMercator.longitude(x: rect.x + rect.width),
      north: WebMercator.latitude(y: min(max(rect.y, 0), world)))
  }

  /// The view at another zoom, of the same screen around the same centre.
  public func rect(atZoom zoom: Double) -> MapRect {
    let mapPointsPerPoint = WebMercator.worldSize / (256 * exponential2(zoom))
    let (width, height) = (self.width * mapPointsPerPoint, self.height * mapPointsPerPoint)
    return MapRect(
      x: rect.x + (rect.width - width) / 2, y: rect.y + (rect.height - height) / 2, width: width,
      height: height)
  }
}
