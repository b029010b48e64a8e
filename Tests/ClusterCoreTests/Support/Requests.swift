import ClusterCore
import TestSupport

extension TwinRequest.Rect {
  /// The rectangle in map points, through the refusals of the service.
  func mapRect() throws(ImpossibleRequest) -> MapRect {
    switch self {
    case .bbox(let west, let south, let east, let north):
      try VisibleRect.bbox(west: west, south: south, east: east, north: north)
    case .mapRect(let x, let y, let width, let height):
      try VisibleRect.mapRect(MapRect(x: x, y: y, width: width, height: height))
    case .region(let center, let latitudeDelta, let longitudeDelta):
      try VisibleRect.region(
        center: center, latitudeDelta: latitudeDelta, longitudeDelta: longitudeDelta)
    }
  }
}

extension TwinRequest {
  /// The viewport of the service.
  func viewport() throws(ImpossibleRequest) -> Viewport {
    let scale: Viewport.Scale =
      switch self.scale {
      case .viewportWidth(let width): .viewportWidth(width)
      case .zoom(let zoom): .zoom(zoom)
      }
    return try Viewport(
      rect: rect.mapRect(), scale: scale, cellSize: cellSize, marginFactor: marginFactor,
      zoomStep: ZoomStep(zoomStep.value))
  }

  /// The settings of the service.
  var settings: ClusterSettings {
    var settings = ClusterSettings()
    settings.zoomStep = ZoomStep(zoomStep.value)
    settings.position = ClusterPosition(rawValue: clusterer.rawValue) ?? .centerOfMass
    settings.maxZoomLevelForClustering = maxZoomLevelForClustering
    settings.minUniqueLocationsForClustering = minUniqueLocationsForClustering
    settings.minPoints = minPoints
    settings.keepApart = keepApart
    settings.decluster = decluster
    settings.distanceFromContestedLocation = distanceFromContestedLocation
    return settings
  }
}

extension TwinRefusal {
  /// The fields that the service may blame for it.
  var fields: Set<String> {
    switch self {
    case .impossibleRect: ["bbox", "region", "visibleMapRect"]
    case .zoomOutOfRange: ["zoom", "viewportWidth"]
    case .tooManyCells: ["cellSize"]
    case .overLimit: ["limit"]
    }
  }
}

/// What a request comes to: an answer, or the field that is to blame.
enum Outcome<Answer> {
  case answer(Answer)
  case refused(String)

  init(_ body: () throws -> Answer) {
    do { self = .answer(try body()) } catch let error as ImpossibleRequest {
      self = .refused(error.field)
    } catch {
      self = .refused("\(error)")
    }
  }
}

extension Coordinate {
  /// Whether another is within some degrees; longitude 180 and −180 are one.
  func isNear(_ other: Coordinate, within tolerance: Double) -> Bool {
    let turn = (longitude - other.longitude).magnitude
    return (latitude - other.latitude).magnitude <= tolerance
      && min(turn, (360 - turn).magnitude) <= tolerance
  }

  /// Whether another has the same bits.
  func isIdentical(to other: Coordinate) -> Bool {
    latitude.bitPattern == other.latitude.bitPattern
      && longitude.bitPattern == other.longitude.bitPattern
  }
}

extension GeoBounds {
  /// Whether each edge is that of others, right to 8.5e-8°.
  func isNear(_ other: GeoBounds) -> Bool {
    [(west, other.west), (south, other.south), (east, other.east), (north, other.north)]
      .allSatisfy { ($0 - $1).magnitude <= 8.5e-8 }
  }
}
