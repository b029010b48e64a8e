internal import ClusterCore

/// Decodes GeoJSON Features, or the rows of a list, into records of a batch.
struct FeatureDecoder {
  let parser = JSONParser()
  private let idProperty: [UInt8]?
  let options: TableOptions
  /// Decodes what is no Feature; nil if all are to be Features.
  private var rows: RowDecoder?
  /// Whether the first of a list has told what all are.
  private var isBegun = false
  /// Whether rows are elements of OpenStreetMap, of which one of each type may have the same number.
  var areElements = false
  /// Whether there were Features in a list.
  private(set) var hasFeatures = false
  /// Reads geometries and reference systems.
  var points: PointReader
  /// The depth of the values that are used: the Feature, its members, those of its geometry, and the
  /// coordinates of a Point.
  static let recordedDepth: UInt32 = 4
  /// That of a row: the row, two objects in it, a geometry in these, its members, and the coordinates of a Point.
  static let recordedDepthOfRow: UInt32 = 6

  init(idProperty: String?, takesCentroids: Bool, options: TableOptions = TableOptions()) {
    self.idProperty = idProperty.map { Array($0.utf8) }
    self.options = options
    points = PointReader(takesCentroids: takesCentroids)
  }

  /// Finds out by the first of a list whether all are Features, or else places. Returns false if the text is not JSON.
  private mutating func begin(_ first: UnsafeRawBufferPointer) -> Bool {
    guard let node = try? parser.parseNodes(first, recordedDepth: FeatureDecoder.recordedDepth)
    else { return false }
    if node.member("type")?.isString("Feature") == true {
      hasFeatures = true
    } else {
      rows = RowDecoder(options: options, idProperty: idProperty, areElements: areElements)
    }
    return true
  }

  /// The kind of a text by itself; nil if it is neither a Feature nor a place.
  func kind(
    of text: UnsafeRawBufferPointer, _ search: inout PlaceSearch
  ) throws(CoordinateColumns.Fault) -> PlaceList.Kind? {
    guard
      let node = try? parser.parseNodes(text, recordedDepth: FeatureDecoder.recordedDepthOfRow)
    else { return nil }
    if node.member("type")?.isString("Feature") == true { return .feature }
    return .place(try search.find(in: node, isTold: false))
  }

  /// A search for the places of rows.
  var search: PlaceSearch { PlaceSearch(options) }

  /// Whether a list that has begun had a Feature or a place.
  var hasPlaces: Bool { hasFeatures || rows?.hasPlaces == true }

  /// Parses a Feature and appends it, or counts it as rejected. Returns the error of a text that is not JSON.
  ///
  /// - Parameters:
  ///   - key: the name under which a row is found, which is its id if it has none.
  ///   - isOfList: whether the first tells what all are.
  mutating func decode(
    _ text: UnsafeRawBufferPointer, key: [UInt8]? = nil, isOfList: Bool,
    into parsed: inout ParsedFeatures, pointer: @autoclosure () -> String
  ) throws(FormatError) -> JSONError? {
    if isOfList, !isBegun { isBegun = begin(text) }
    do throws(JSONError) {
      let node = try parser.parseNodes(
        text,
        recordedDepth: rows == nil
          ? FeatureDecoder.recordedDepth : FeatureDecoder.recordedDepthOfRow)
      try append(node, key: key, into: &parsed, pointer: pointer())
    } catch {
      if error == .outOfMemory { throw .outOfMemory }
      return error
    }
    try parsed.keepRoom()
    return nil
  }

  /// Appends a parsed Feature, or counts it as rejected. Throws if there is no memory for it.
  mutating func append(
    _ node: TapeNode, key: [UInt8]? = nil, into parsed: inout ParsedFeatures,
    pointer: @autoclosure () -> String
  ) throws(JSONError) {
    do throws(FeatureRefusal) {
      if rows != nil {
        guard node.member("type")?.isString("Feature") == true else {
          try rows?.append(node, key: key, to: &parsed, &points, parser)
          return
        }
        hasFeatures = true
      }
      try append(node, key: key, to: &parsed)
    } catch {
      if error.isOutOfMemory { throw .outOfMemory }
      parsed.reject(pointer: pointer(), detail: error.detail)
    }
  }

  private mutating func append(
    _ feature: TapeNode, key: [UInt8]?, to parsed: inout ParsedFeatures
  ) throws(FeatureRefusal) {
    guard feature.kind == .object else { throw FeatureRefusal("not an object") }
    points.isTold = parsed.keepsReasons
    let members = GeoJSONMembers(feature)
    guard let type = members.type, type.isString("Feature") else {
      throw FeatureRefusal("/type is not \"Feature\"")
    }
    try points.systems.check(members, in: "", into: &parsed)
    let coordinate = try points.coordinate(members.geometry, into: &parsed)
    let properties = try minifiedProperties(members.properties)
    var id = try FeatureDecoder.id(
      idProperty.map { name in members.properties?.member(name) } ?? members.id)
    if id == nil, let key { id = try RowDecoder.id(key) }
    let expires = try expires(members.expires)
    points.further.withUnsafeBufferPointer { further in
      parsed.batch.append(
        id: id, coordinate: coordinate, further: further, properties: properties,
        expires: expires, neverExpires: members.expires?.kind == .null)
    }
  }

  /// The text of the properties, which is valid until the next feature.
  private func minifiedProperties(_ node: TapeNode?) throws(FeatureRefusal)
    -> UnsafeRawBufferPointer
  {
    guard let node, node.kind != .null else {
      // Static strings are never freed.
      let empty: StaticString = "{}"
      return UnsafeRawBufferPointer(start: empty.utf8Start, count: 2)
    }
    guard node.kind == .object else { throw FeatureRefusal("/properties is not an object") }
    if let text = parser.minified(node) { return text }
    throw .outOfMemory
  }

  private func expires(_ node: TapeNode?) throws(FeatureRefusal) -> Int64? {
    guard let node, node.kind != .null else { return nil }
    guard node.kind == .string, let expires = DateTime.milliseconds(node.string) else {
      throw FeatureRefusal(
        "/expires is not an RFC 3339 date-time with a time zone, such as \"2030-01-31T12:00:00Z\"")
    }
    return expires
  }

  /// The id that a value is; nil for none.
  static func id(_ node: TapeNode?) throws(FeatureRefusal) -> FeatureID? {
    guard let node else { return nil }
    do {
      switch node.kind {
      case .null: return nil
      case .number: return try FeatureID(number: node.number)
      case .string: return try FeatureID(utf8: node.string).ofNewFeature()
      default: break
      }
    } catch {
      throw FeatureRefusal(error.reason)
    }
    throw FeatureRefusal("the id is neither a number nor a string")
  }
}
