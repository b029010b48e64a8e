/// A type of GeoJSON's geometries, by its name.
enum GeometryType: String, CaseIterable {
  case point = "Point"
  case multiPoint = "MultiPoint"
  case lineString = "LineString"
  case multiLineString = "MultiLineString"
  case polygon = "Polygon"
  case multiPolygon = "MultiPolygon"
  case geometryCollection = "GeometryCollection"

  /// The type of a name; nil if it isn't one.
  init?(_ name: TapeNode?) {
    guard let name, name.kind == .string else { return nil }
    let known = GeometryType.allCases.first { name.string.elementsEqual($0.rawValue.utf8) }
    guard let known else { return nil }
    self = known
  }
}
