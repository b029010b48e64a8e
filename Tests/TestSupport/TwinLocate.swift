import ClusterCore
import Glibc

/// A view to find a feature in, section 7.
public struct TwinLocate: Sendable {
  /// The height of what is to be seen, in metres.
  public var latitudinalMeters: Double
  /// The width of what is to be seen, in metres.
  public var longitudinalMeters: Double
  /// Points.
  public var viewportWidth: Double
  /// Points.
  public var viewportHeight: Double

  /// A view.
  public init(meters: (latitudinal: Double, longitudinal: Double), points: (Double, Double)) {
    (latitudinalMeters, longitudinalMeters) = meters
    (viewportWidth, viewportHeight) = points
  }

  /// The rect about a feature.
  public func rect(about one: Twin.Placed) -> TwinRect {
    let latitude = one.feature.coordinate.latitude
    let degrees = latitudinalMeters / 2 / Twin.earthRadius * 180 / .pi
    let reaches = [latitude + degrees, latitude - degrees].map {
      (Twin.southOf($0) - one.y).magnitude
    }
    let clamped = min(85.051_128_78, max(-85.051_128_78, latitude)) * .pi / 180
    let turn = longitudinalMeters / 2 / (Twin.earthRadius * cos(clamped)) / (2 * .pi)
    var (width, height) = (2 * turn * Twin.worldSize, 2 * max(reaches[0], reaches[1]))
    let aspect = viewportWidth / viewportHeight
    if width < height * aspect { width = height * aspect } else { height = width / aspect }
    return TwinRect(x: one.x - width / 2, y: one.y - height / 2, width: width, height: height)
  }

  /// The view as a request with the clustering fields of another.
  public func request(about one: Twin.Placed, _ settings: TwinRequest) -> TwinRequest {
    let rect = rect(about: one)
    var request = settings
    request.rect = .mapRect(x: rect.x, y: rect.y, width: rect.width, height: rect.height)
    request.scale = .viewportWidth(viewportWidth)
    request.limit = 10_000
    return request
  }

  /// The smallest integer zoom from which on a feature is alone; nil if it isn't at 24.
  public func standaloneZoom(
    of one: Twin.Placed, in twin: Twin, _ settings: TwinRequest
  ) throws(TwinRefusal) -> Int? {
    let passing = twin.filtered(by: settings.filter)
    var found: Int?
    for zoom in stride(from: 24, through: 0, by: -1) {
      let size = Twin.worldSize / (256 * exp2(Double(zoom)))
      let (width, height) = (viewportWidth * size, viewportHeight * size)
      var request = settings
      request.filter = nil
      request.limit = 10_000
      request.scale = .zoom(Double(zoom))
      // The grid asks nothing of a view: the feature's own cell will do.
      request.rect =
        settings.method == .grid
        ? .mapRect(x: one.x, y: one.y, width: 0, height: 0)
        : .mapRect(x: one.x - width / 2, y: one.y - height / 2, width: width, height: height)
      if settings.method == .grid { request.marginFactor = 0 }
      let holder = try passing.cluster(request).annotations.first { $0.holds(one.feature.id) }
      guard holder?.count == 1 else { return found }
      found = zoom
    }
    return found
  }

  /// The body of a request with the clustering fields of another.
  public func json(_ settings: TwinRequest) -> TestJSON {
    let left: Set = [
      "bbox", "visibleMapRect", "region", "zoom", "viewportWidth", "limit", "previous",
    ]
    return .object(
      [
        .init("latitudinalMeters", TestJSON(latitudinalMeters)),
        .init("longitudinalMeters", TestJSON(longitudinalMeters)),
        .init("viewportWidth", TestJSON(viewportWidth)),
        .init("viewportHeight", TestJSON(viewportHeight)),
      ] + (settings.json.members ?? []).filter { !left.contains($0.key) })
  }
}

extension TwinAnnotation {
  /// Whether a feature is among its own.
  public func holds(_ id: FeatureID) -> Bool { features.contains { $0.id == id } }
}
