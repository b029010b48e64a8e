internal import Texts

/// The members of a Feature or geometry that matter, found in one pass. Of members with one name the last counts.
struct GeoJSONMembers {
  private(set) var type: TapeNode?
  private(set) var id: TapeNode?
  private(set) var geometry: TapeNode?
  private(set) var properties: TapeNode?
  private(set) var expires: TapeNode?
  private(set) var coordinates: TapeNode?
  private(set) var geometries: TapeNode?
  /// The names of reference systems.
  private(set) var crs: TapeNode?
  private(set) var coordRefSys: TapeNode?

  init(_ object: TapeNode) {
    var nodes = object.children
    while let key = nodes.next(), let value = nodes.next() {
      switch key.string.count {
      case 2 where key.isString("id"): id = value
      case 3 where key.isString("crs"): crs = value
      case 4 where key.isString("type"): type = value
      case 7 where key.isString("expires"): expires = value
      case 8 where key.isString("geometry"): geometry = value
      case 10 where key.isString("properties"): properties = value
      case 10 where key.isString("geometries"): geometries = value
      case 11 where key.isString("coordinates"): coordinates = value
      case 11 where key.isString("coordRefSys"): coordRefSys = value
      default: break
      }
    }
  }

  /// The positions of a MultiPoint; nil for other geometries.
  var points: TapeNode? {
    GeometryType(type) == .multiPoint && coordinates?.kind == .array ? coordinates : nil
  }

  /// Whether it holds exactly one position or geometry, which may be a point.
  var hasOne: Bool {
    if let points { return points.count == 1 }
    guard GeometryType(type) == .geometryCollection, let geometries else { return false }
    return geometries.kind == .array && geometries.count == 1
  }

  /// The refusal of a geometry, which names its kind and the remedy.
  func refusal(_ place: String, isTold: Bool = true) -> FeatureRefusal {
    guard isTold else { return FeatureRefusal("") }
    guard let type, type.kind == .string else {
      return FeatureRefusal("\(place)/type is missing, or not a string")
    }
    let name = String(decoding: type.string.prefix(200), as: UTF8.self).shortened(to: 80)
    func several(_ list: TapeNode?, _ member: String, _ kind: String) -> FeatureRefusal {
      guard let list, list.kind == .array else {
        return FeatureRefusal("\(place)/\(member) is not an array")
      }
      return FeatureRefusal(
        "\(place) is a \(name) of \(list.count) \(kind), not of one; "
          + "ogr2ogr -explodecollections makes a feature of each")
    }
    switch GeometryType(type) {
    case .multiPoint?: return several(coordinates, "coordinates", "points")
    case .geometryCollection?: return several(geometries, "geometries", "geometries")
    case nil:
      return FeatureRefusal("\(place) is a \"\(name)\", which is no geometry of GeoJSON")
    default: break
    }
    return FeatureRefusal(
      "\(place) is a \(name), and only points are stored; pincluster import --points centroid, or "
        + "ogr2ogr -dialect SQLite -sql \"SELECT ST_Centroid(geometry), NAMES FROM LAYER\", makes "
        + "points of lines and areas")
  }
}
