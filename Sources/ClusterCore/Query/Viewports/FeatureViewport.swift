import Glibc

/// The viewport in which a client shows one feature: at least some metres around it on its screen.
public struct FeatureViewport: Sendable {
  /// The region, centred on the feature; its x may be negative or reach past the world.
  public let rect: MapRect
  /// The screen's width in points.
  public let width: Double
  /// The screen's height in points.
  public let height: Double

  /// Creates the viewport of a coordinate.
  ///
  /// Half the height is the larger of the distances, in map points, to the latitudes
  /// `latitudinalMeters / 2` north and south of it; half the width is the distance in map points that
  /// `longitudinalMeters / 2` cover at its latitude. Then one side is extended to the screen's aspect
  /// ratio.
  ///
  /// - Throws: ``ImpossibleRequest`` if a value is not positive or exceeds 1e9.
  public init(
    of coordinate: Coordinate, latitudinalMeters: Double, longitudinalMeters: Double,
    width: Double, height: Double
  ) throws(ImpossibleRequest) {
    for (field, value) in [
      ("latitudinalMeters", latitudinalMeters), ("longitudinalMeters", longitudinalMeters),
      ("viewportWidth", width), ("viewportHeight", height),
    ] {
      try ImpossibleRequest.check(size: field, value)
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
    let (x, y) = (max(halfWidth, halfHeight * aspect), max(halfHeight, halfWidth / aspect))
    rect = MapRect(x: centre.x - x, y: centre.y - y, width: 2 * x, height: 2 * y)
    self.width = width
    self.height = height
  }

  /// The region in degrees. Longitudes continue past ±180; latitudes end where the projection does.
  public var bounds: GeoBounds {
    let world = WebMercator.worldSize
    return GeoBounds(
      west: WebMercator.longitude(x: rect.x),
      south: WebMercator.latitude(y: min(max(rect.y + rect.height, 0), world)),
      east: WebMercator.longitude(x: rect.x + rect.width),
      north: WebMercator.latitude(y: min(max(rect.y, 0), world)))
  }

  /// The rectangle that the same screen shows around the same centre at another zoom.
  public func rect(atZoom zoom: Double) -> MapRect {
    let scale = WebMercator.mapPointsPerPoint(zoom: zoom)
    let (width, height) = (self.width * scale, self.height * scale)
    return MapRect(
      x: rect.x + (rect.width - width) / 2, y: rect.y + (rect.height - height) / 2, width: width,
      height: height)
  }
}
