internal import ClusterCore
internal import Texts

/// Decodes JSON objects that are no Features, such as a list of places, as the rows of a table: the members that a table would
/// have as columns of coordinates are the place, the others are properties as they are.
struct RowDecoder {
  /// The most members that are tried in each object before it is searched.
  private static let mostKnown = 20

  private let options: TableOptions
  private var search: PlaceSearch
  /// The members that held the places of objects so far, those in objects within being the last.
  private var known: [PlaceMembers] = []
  /// The member that holds the id, once there was one, and whether it is a property, too.
  private var id: [UInt8]?
  private let idIsProperty: Bool
  /// Whether the ids of ways and relations name their types, as nodes have numbers of their own.
  private let namesTypes: Bool
  private var texts = PointText()
  /// The order of numbers in the member of points that was read last, as far as its name tells.
  private var order: (name: [UInt8], order: PointText.Order)?
  /// Whether the reason of a refusal is told.
  private var isTold = true
  private var properties = JSONWriter()
  /// The ordinates after longitude and latitude.
  private var further: [Double] = []

  /// - Parameters:
  ///   - idProperty: the member that holds the ids; nil for `id`.
  ///   - areElements: whether the objects are elements of OpenStreetMap, if they have its types.
  init(options: TableOptions, idProperty: [UInt8]?, areElements: Bool) {
    (self.options, search) = (options, PlaceSearch(options))
    namesTypes = areElements && idProperty == nil
    (id, idIsProperty) = (idProperty, idProperty != nil)
  }

  /// Whether an object had a place.
  var hasPlaces: Bool { !known.isEmpty }

  /// Appends an object. A key is its id if it has none.
  mutating func append(
    _ row: TapeNode, key: [UInt8]?, to parsed: inout ParsedFeatures, _ points: inout PointReader,
    _ parser: JSONParser
  ) throws(FeatureRefusal) {
    guard row.kind == .object else { throw FeatureRefusal("not an object") }
    isTold = parsed.keepsReasons
    texts.isTold = isTold
    let members = try members(of: row, &parsed)
    let coordinate = try coordinate(of: row, members, &points, &parsed)
    try coordinate.check(isTold: isTold)
    var id = try FeatureDecoder.id(idName(row).flatMap { row.member($0) })
    if namesTypes, let number = id, let typed = try RowDecoder.id(number, ofElement: row) {
      parsed.note("ids of ways and relations name their types, such as way/1")
      id = typed
    }
    if let key {
      if id == nil {
        id = try RowDecoder.id(key)
      } else if id != (try? RowDecoder.id(key)) {
        parsed.note("the names of places are left out, as places have ids of their own")
      }
    }
    properties.removeAll()
    // A closure that captures a part of `self` would copy all of it.
    var writer = JSONWriter()
    swap(&writer, &properties)
    let hasMemory = write(row, members, level: 0, to: &writer, parser)
    swap(&writer, &properties)
    guard hasMemory else { throw .outOfMemory }
    further.withUnsafeBufferPointer { further in
      properties.withBytes { properties in
        parsed.batch.append(
          id: id, coordinate: coordinate, further: further, properties: properties)
      }
    }
  }

  /// The id of a way or relation with a number, such as `way/1`; nil for all else.
  private static func id(
    _ number: FeatureID, ofElement row: TapeNode
  ) throws(FeatureRefusal) -> FeatureID? {
    guard case .integer(let value) = number.key, let type = row.member("type") else { return nil }
    let types: [StaticString] = ["way", "relation"]
    guard let name = types.first(where: type.isString) else { return nil }
    return try id(Array("\(name)/\(value)".utf8))
  }

  /// The name of the member that holds the id; nil if no object so far has one.
  private mutating func idName(_ row: TapeNode) -> [UInt8]? {
    guard id == nil else { return id }
    var found: [UInt8]?
    row.forEachMember { key, _ in
      guard key.string.count == 2 else { return }
      let isID = String(decoding: key.string, as: UTF8.self).isSameField(as: "id")
      if isID, found == nil || key.isString("id") { found = Array(key.string) }
    }
    id = found
    return found
  }

  /// The members that hold the place of an object: those of an object before, or others, with a note.
  private mutating func members(
    of row: TapeNode, _ parsed: inout ParsedFeatures
  ) throws(FeatureRefusal) -> PlaceMembers {
    if let filled = known.first(where: { $0.areFilled(in: row) }) { return filled }
    do throws(CoordinateColumns.Fault) {
      let found = try search.find(in: row, isTold: isTold && known.isEmpty)
      for note in found.notes(options) { parsed.note(note) }
      guard known.count < RowDecoder.mostKnown else { return found }
      let index = known.firstIndex { $0.path.count > found.path.count } ?? known.count
      known.insert(found, at: index)
      return found
    } catch {
      // Its refusal names what is missing there.
      if let usual = known.first, !error.isAmbiguous { return usual }
      throw FeatureRefusal(if: isTold, error.detail)
    }
  }

  /// The id that a name is.
  static func id(_ key: [UInt8]) throws(FeatureRefusal) -> FeatureID {
    try key.withUnsafeBufferPointer { (key) throws(FeatureRefusal) -> FeatureID in
      do throws(FeatureID.Invalid) {
        return try FeatureID(utf8: UnsafeRawBufferPointer(key)).ofNewFeature()
      } catch {
        throw FeatureRefusal(error.reason)
      }
    }
  }

  private mutating func coordinate(
    of row: TapeNode, _ members: PlaceMembers, _ points: inout PointReader,
    _ parsed: inout ParsedFeatures
  ) throws(FeatureRefusal) -> Coordinate {
    further.removeAll(keepingCapacity: true)
    func missing() -> FeatureRefusal {
      FeatureRefusal(if: isTold, "no point is in \(members.shown)")
    }
    guard let object = members.object(in: row) else { throw missing() }
    switch members.holder {
    case .axes(let longitude, let latitude):
      return Coordinate(
        latitude: try number(latitude, .latitude, of: object),
        longitude: try number(longitude, .longitude, of: object))
    case .point(let name):
      guard let value = object.member(name) else { throw missing() }
      switch value.kind {
      case .string: return try point(value.string, name)
      case .array: return try pair(value, name)
      case .object:
        points.isTold = isTold
        let coordinate = try points.coordinate(value, into: &parsed)
        further = points.further
        return coordinate
      default: throw missing()
      }
    }
  }

  /// A number, or one in a text.
  private func number(
    _ name: [UInt8], _ axis: CoordinateText.Axis, of object: TapeNode
  ) throws(FeatureRefusal) -> Double {
    let value = object.member(name)
    if let value, value.kind == .number { return value.number }
    if let value, value.kind == .string {
      let text = JSONText.trimmed(value.string)
      let found = CoordinateText.value(text, decimal: options.decimal ?? UInt8(ascii: "."))
      // Where a point would not do, a comma can only be the decimal mark.
      let other = found == nil && options.decimal == nil
      if let found = other ? CoordinateText.value(text, decimal: UInt8(ascii: ",")) : found,
        found.axis ?? axis == axis
      {
        return found.degrees
      }
      throw FeatureRefusal(
        if: isTold,
        "\(TableText.quoted(text)) in \(TableText.quoted(name)) is not a "
          + (axis == .latitude ? "latitude" : "longitude"))
    }
    throw FeatureRefusal(if: isTold, "no number is in \(TableText.quoted(name))")
  }

  private mutating func point(
    _ text: UnsafeRawBufferPointer, _ name: [UInt8]
  ) throws(FeatureRefusal) -> Coordinate {
    if order?.name != name { order = (name, CoordinateName(name).order) }
    do throws(FeatureRefusal) {
      let point = try texts.point(
        text, decimal: options.decimal ?? UInt8(ascii: "."),
        order: order?.order ?? PointText.Order())
      if let altitude = point.altitude { further.append(altitude) }
      return Coordinate(latitude: point.latitude, longitude: point.longitude)
    } catch {
      throw FeatureRefusal(
        if: isTold, "\(TableText.quoted(text)) in \(TableText.quoted(name)) \(error.detail)")
    }
  }

  /// A list of numbers: longitude and latitude, unless its name says otherwise, and a height.
  private mutating func pair(
    _ list: TapeNode, _ name: [UInt8]
  ) throws(FeatureRefusal) -> Coordinate {
    guard PlaceSearch.isPair(list), list.count <= FeatureBatch.maximumFurtherOrdinates + 2 else {
      throw FeatureRefusal(
        if: isTold, "\(TableText.quoted(name)) is not a list of two or three numbers")
    }
    let (first, second) = (list.firstChild, list.firstChild.next)
    for (index, other) in list.children.enumerated().dropFirst(2) {
      guard other.kind == .number else {
        throw FeatureRefusal(if: isTold, "\(TableText.quoted(name)): /\(index) is not a number")
      }
      further.append(other.number)
    }
    let small = String(
      decoding: name.filter { $0 != UInt8(ascii: "_") }.map(\.lowercasedASCII), as: UTF8.self)
    return small.begins(with: "lat") || small.begins(with: "geopoint")
      ? Coordinate(latitude: first.number, longitude: second.number)
      : Coordinate(latitude: second.number, longitude: first.number)
  }

  /// Writes the members of an object that are properties, so many objects deep on the way to the place. Returns false
  /// without memory for it.
  private func write(
    _ object: TapeNode, _ members: PlaceMembers, level: Int, to writer: inout JSONWriter,
    _ parser: JSONParser
  ) -> Bool {
    var hasMemory = true
    writer.beginObject()
    object.forEachMember { key, value in
      if level == 0, let id, !idIsProperty, id.withUnsafeBytes({ equalBytes($0, key.string) }) {
        return
      }
      switch members.part(of: key, value, level: level) {
      case .none: return
      case .rest:
        let before = writer.count
        writer.keyUTF8(key.string)
        let start = writer.count
        hasMemory = write(value, members, level: level + 1, to: &writer, parser) && hasMemory
        // An object of which nothing is left is left out.
        if writer.count == start + 2 { writer.removeAll(from: before) }
      case .all:
        writer.keyUTF8(key.string)
        guard value.kind == .array || value.kind == .object else { return writer.raw(value.text) }
        guard let text = parser.minified(value) else {
          hasMemory = false
          return
        }
        writer.raw(text)
      }
    }
    writer.endObject()
    return hasMemory
  }
}
