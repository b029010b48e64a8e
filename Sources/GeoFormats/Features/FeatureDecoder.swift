internal import ClusterCore

/// Turns the text of one GeoJSON Feature into a record of a batch.
struct FeatureDecoder {
  /// What is wrong with a feature that is valid JSON.
  struct Refusal: Error {
    var detail: String
    init(_ detail: String) { self.detail = detail }
  }

  let parser = JSONParser()
  private let idProperty: [UInt8]?
  private var further: [Double] = []
  /// The Feature, its members, the geometry's members and the coordinates.
  static let recordedDepth: UInt32 = 4

  init(idProperty: String?) { self.idProperty = idProperty.map { Array($0.utf8) } }

  /// Parses a Feature's text and appends it, or counts it as rejected. Throws if it isn't JSON.
  mutating func decode(
    _ text: UnsafeRawBufferPointer, into parsed: inout ParsedFeatures,
    pointer: @autoclosure () -> String
  ) throws(JSONError) {
    let node = try parser.parseNodes(text, recordedDepth: FeatureDecoder.recordedDepth)
    append(node, into: &parsed, pointer: pointer())
  }

  /// Appends a parsed Feature, or counts it as rejected.
  mutating func append(
    _ node: TapeNode, into parsed: inout ParsedFeatures, pointer: @autoclosure () -> String
  ) {
    do throws(Refusal) {
      try append(node, to: &parsed.batch)
    } catch {
      parsed.reject(pointer: pointer(), detail: error.detail)
    }
  }

  private mutating func append(_ feature: TapeNode, to batch: inout FeatureBatch) throws(Refusal) {
    guard feature.kind == .object else { throw Refusal("not an object") }
    let members = FeatureMembers(feature)
    guard let type = members.type, type.isString("Feature") else {
      throw Refusal("/type is not \"Feature\"")
    }
    let coordinate = try coordinate(members.geometry)
    let properties = try minifiedProperties(members.properties)
    let id = try id(members)
    let expires = try expires(members.expires)
    further.withUnsafeBufferPointer { further in
      batch.append(
        id: id, coordinate: coordinate, further: further, properties: properties,
        expires: expires, neverExpires: members.expires?.kind == .null)
    }
  }

  /// The coordinate; leaves the further ordinates in `further`.
  private mutating func coordinate(_ geometry: TapeNode?) throws(Refusal) -> Coordinate {
    guard let geometry, geometry.kind != .null else {
      throw Refusal("/geometry is missing or null")
    }
    guard geometry.kind == .object else { throw Refusal("/geometry is not an object") }
    guard let type = geometry.member("type"), type.isString("Point") else {
      throw Refusal("/geometry/type is not \"Point\"")
    }
    guard let list = geometry.member("coordinates"), list.kind == .array else {
      throw Refusal("/geometry/coordinates is not an array")
    }
    guard list.count >= 2 else {
      throw Refusal("/geometry/coordinates has fewer than two numbers")
    }
    guard list.count - 2 <= FeatureBatch.maximumFurtherOrdinates else {
      throw Refusal(
        "/geometry/coordinates has more than \(FeatureBatch.maximumFurtherOrdinates + 2) numbers")
    }
    further.removeAll(keepingCapacity: true)
    var longitude = 0.0
    var latitude = 0.0
    var ordinate = list.firstChild
    for index in 0..<list.count {
      guard ordinate.kind == .number else {
        throw Refusal("/geometry/coordinates/\(index) is not a number")
      }
      switch index {
      case 0: longitude = ordinate.number
      case 1: latitude = ordinate.number
      default: further.append(ordinate.number)
      }
      ordinate = ordinate.next
    }
    let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    if let problem = coordinate.problem { throw Refusal(problem) }
    return coordinate
  }

  /// The text of the properties; holds until the next feature.
  private func minifiedProperties(_ node: TapeNode?) throws(Refusal) -> UnsafeRawBufferPointer {
    guard let node, node.kind != .null else {
      // A static string lives for ever.
      let empty: StaticString = "{}"
      return UnsafeRawBufferPointer(start: empty.utf8Start, count: 2)
    }
    guard node.kind == .object else { throw Refusal("/properties is not an object") }
    guard let text = parser.minified(node) else { throw Refusal("out of memory") }
    return text
  }

  private func expires(_ node: TapeNode?) throws(Refusal) -> Int64? {
    guard let node, node.kind != .null else { return nil }
    guard node.kind == .string, let expires = DateTime.milliseconds(node.string) else {
      throw Refusal(
        "/expires is not a date-time of RFC 3339 with a zone, such as \"2030-01-31T12:00:00Z\"")
    }
    return expires
  }

  private func id(_ members: FeatureMembers) throws(Refusal) -> FeatureID? {
    let node: TapeNode?
    if let idProperty {
      node = idProperty.withUnsafeBytes { members.properties?.member($0) }
    } else {
      node = members.id
    }
    guard let node else { return nil }
    do {
      switch node.kind {
      case .null: return nil
      case .number: return try FeatureID(number: node.number)
      case .string: return try FeatureID(utf8: node.string)
      default: break
      }
    } catch {
      throw Refusal(error.reason)
    }
    throw Refusal("the id is neither a number nor a string")
  }
}

/// The members of a Feature that count, found in one pass; of several with one name the last.
private struct FeatureMembers {
  var type: TapeNode?
  var geometry: TapeNode?
  var properties: TapeNode?
  var id: TapeNode?
  var expires: TapeNode?

  init(_ feature: TapeNode) {
    let end = feature.next
    var key = feature.firstChild
    while key.base < end.base {
      let value = key.next
      switch key.string.count {
      case 2 where key.isString("id"): id = value
      case 4 where key.isString("type"): type = value
      case 7 where key.isString("expires"): expires = value
      case 8 where key.isString("geometry"): geometry = value
      case 10 where key.isString("properties"): properties = value
      default: break
      }
      key = value.next
    }
  }
}

extension Coordinate {
  /// Why the position can't be taken; nil if it can.
  var problem: String? {
    if longitude.magnitude <= 180, latitude.magnitude <= 90 { return nil }
    if latitude.magnitude > 90, latitude.magnitude <= 180, longitude.magnitude <= 90 {
      return "latitude \(latitude) is beyond ±90: longitude and latitude look swapped"
    }
    if latitude.magnitude <= 90 { return "longitude \(longitude) is beyond ±180" }
    return "latitude \(latitude) is beyond ±90"
  }
}
