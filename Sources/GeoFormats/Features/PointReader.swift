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
    let members = GeoJSONMembers(geometry)
    try systems.check(members, in: "/geometry", into: &parsed)
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
      let members = GeoJSONMembers(geometry)
      // Of the outermost it is known already.
      if depth > 0 { try systems.check(members, in: "/geometry/geometries/0", into: &parsed) }
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
}
