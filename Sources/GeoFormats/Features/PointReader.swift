internal import ClusterCore
internal import Texts

/// Reads the place of a Feature from its geometry: a Point, or a MultiPoint or GeometryCollection of exactly one.
struct PointReader {
  /// The ordinates after longitude and latitude.
  private(set) var further: [Double] = []
  /// Reads values deeper than the tape of a Feature. Created when it is needed.
  private var parser: JSONParser?
  /// The reference systems that are named, by Features, too.
  var systems = ReferenceSystemReader()

  /// Whether the reasons of refusals are told.
  var isTold = true
  /// Whether other geometries are taken as their centroids.
  private let takesCentroids: Bool

  init(takesCentroids: Bool) { self.takesCentroids = takesCentroids }

  /// The coordinate. Leaves the further ordinates in ``further``.
  mutating func coordinate(
    _ geometry: TapeNode?, into parsed: inout ParsedFeatures
  ) throws(FeatureRefusal) -> Coordinate {
    guard let geometry, geometry.kind != .null else {
      throw FeatureRefusal("/geometry is missing or null")
    }
    guard geometry.kind == .object else { throw FeatureRefusal("/geometry is not an object") }
    let members = Members(geometry)
    if members.hasSystem { try systems.check(members.systems, in: "/geometry", into: &parsed) }
    guard let type = members.type, type.kind == .string else {
      throw FeatureRefusal("/geometry/type is missing, or not a string")
    }
    if type.isString("Point") { return try position(members.coordinates, "/geometry/coordinates") }
    guard members.hasOne || takesCentroids else {
      throw members.refusal("/geometry", isTold: isTold)
    }
    return try only(in: geometry, into: &parsed)
  }

  /// The coordinate of the only point in a MultiPoint or GeometryCollection, or the centroid of it all.
  private mutating func only(
    in outermost: TapeNode, into parsed: inout ParsedFeatures
  ) throws(FeatureRefusal) -> Coordinate {
    let parser = parser ?? JSONParser()
    self.parser = parser
    let whole: TapeNode
    do throws(JSONError) { whole = try parser.parseNodes(outermost.text) } catch {
      throw .outOfMemory
    }
    var geometry = whole
    var depth = 0
    while true {
      let place = "/geometry" + (depth > 0 ? "/geometries/0" : "")
      guard geometry.kind == .object else {
        throw FeatureRefusal(if: isTold, "\(place) is not an object")
      }
      let members = Members(geometry)
      // Of the outermost it is known already.
      if depth > 0, members.hasSystem {
        try systems.check(members.systems, in: "/geometry/geometries/0", into: &parsed)
      }
      if members.type?.isString("Point") == true {
        return try position(members.coordinates, "\(place)/coordinates")
      }
      guard members.hasOne else {
        guard takesCentroids else { throw members.refusal(place, isTold: isTold) }
        further.removeAll(keepingCapacity: true)
        return try Centroid.coordinate(of: whole)
      }
      if let points = members.points {
        return try position(points.firstChild, "\(place)/coordinates/0")
      }
      guard let geometries = members.geometries else {
        throw members.refusal(place, isTold: isTold)
      }
      geometry = geometries.firstChild
      depth += 1
    }
  }

  private mutating func position(
    _ list: TapeNode?, _ place: @autoclosure () -> String
  ) throws(FeatureRefusal) -> Coordinate {
    guard let list, list.kind == .array else {
      throw FeatureRefusal(if: isTold, "\(place()) is not an array")
    }
    guard list.count >= 2 else {
      throw FeatureRefusal(if: isTold, "\(place()) has fewer than two numbers")
    }
    guard list.count - 2 <= FeatureBatch.maximumFurtherOrdinates else {
      throw FeatureRefusal(
        if: isTold,
        "\(place()) has more than \(FeatureBatch.maximumFurtherOrdinates + 2) numbers")
    }
    further.removeAll(keepingCapacity: true)
    var longitude = 0.0
    var latitude = 0.0
    var ordinate = list.firstChild
    for index in 0..<list.count {
      guard ordinate.kind == .number else {
        throw FeatureRefusal(if: isTold, "\(place())/\(index) is not a number")
      }
      switch index {
      case 0: longitude = ordinate.number
      case 1: latitude = ordinate.number
      default: further.append(ordinate.number)
      }
      ordinate = ordinate.next
    }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    try coordinate.check(isTold: isTold)
    return coordinate
  }

  /// The members of a geometry that matter, found in one pass. Of members with one name the last counts.
  struct Members {
    var type: TapeNode?
    var coordinates: TapeNode?
    var geometries: TapeNode?
    var systems = ReferenceSystemReader.Members()
    var hasSystem = false

    init(_ geometry: TapeNode) {
      geometry.forEachMember { key, value in
        switch key.string.count {
        case 4 where key.isString("type"): type = value
        case 10 where key.isString("geometries"): geometries = value
        case 11 where key.isString("coordinates"): coordinates = value
        case 3, 11: hasSystem = systems.take(key, value) || hasSystem
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

    /// The refusal, which names its kind and the remedy.
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
}
