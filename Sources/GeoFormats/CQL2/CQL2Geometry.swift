internal import ClusterCore
internal import Texts

/// A kind of geometry.
enum CQL2Geometry: String, CaseIterable {
  case point = "Point"
  case line = "LineString"
  case polygon = "Polygon"
  case points = "MultiPoint"
  case lines = "MultiLineString"
  case polygons = "MultiPolygon"
  case collection = "GeometryCollection"
  case box = "bbox"

  /// The names of the geometry of features.
  static let names = [Array("geometry".utf8), Array("geom".utf8)]

  /// The kind with a name in lower case.
  init?(name: String) {
    let name = name == "envelope" ? "bbox" : name
    guard let kind = CQL2Geometry.allCases.first(where: { name.isSameField(as: $0.rawValue) })
    else {
      return nil
    }
    self = kind
  }

  /// An envelope of four numbers, or of six with heights, which don't matter.
  static func envelope(_ numbers: [Double]) -> ShapePart? {
    guard numbers.count == 4 || numbers.count == 6 else { return nil }
    let half = numbers.count / 2
    return .envelope(
      GeoBounds(
        west: numbers[0], south: numbers[1], east: numbers[half], north: numbers[half + 1]))
  }

  /// The point that one of two geometries is, if the other is that of features, which is nil.
  static func centre(_ left: [ShapePart]?, _ right: [ShapePart]?) -> Coordinate? {
    guard (left == nil) != (right == nil), let parts = left ?? right, parts.count == 1,
      case .point(let point) = parts[0]
    else { return nil }
    return point
  }

  /// The shape of some parts.
  static func shape(_ parts: [ShapePart]) throws(CQL2Error) -> Shape {
    do {
      return try Shape(parts)
    } catch {
      throw error.isBeyondWorld
        ? .impossible(detail: error.detail) : .tooLarge(detail: error.detail)
    }
  }
}
