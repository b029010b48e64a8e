internal import ClusterCore
internal import Texts

/// Decodes JSON objects that are no Features, such as a list of places, as the rows of a table: the members that a table would
/// have as columns of coordinates are the place, the others are properties as they are.
struct RowDecoder {
  private typealias Axes = (longitude: [UInt8], latitude: [UInt8])

  /// The members that hold the coordinates.
  private enum Place {
    case axes(Axes)
    /// A text, a list of two numbers, or an object.
    case point([UInt8])
  }

  /// The most members of an object among which coordinates are looked for, and the most such objects.
  private static let mostInner = 20

  private let options: TableOptions
  private let place: Place
  /// The members of the object that is the point; nil for a geometry.
  private var inner: Axes?
  /// The member that holds the id, and whether it is a property, too.
  private let id: [UInt8]?
  private let idIsProperty: Bool
  private let texts = PointText()
  /// Whether the reason of a refusal is told.
  private var isTold = true
  private var properties = JSONWriter()
  /// The ordinates after longitude and latitude.
  private var further: [Double] = []

  /// Finds the members by those of the first object.
  ///
  /// - Throws: ``CoordinateColumns/Fault`` if it has none that can hold coordinates, or too many.
  init(
    first: TapeNode, options: TableOptions, idProperty: [UInt8]?, notes parsed: inout ParsedFeatures
  ) throws(CoordinateColumns.Fault) {
    let heading = TableHeading(RowDecoder.names(of: first))
    do throws(CoordinateColumns.Fault) {
      let columns = try CoordinateColumns.find(heading, options)
      for note in TableNotes.columns(columns, heading, options) { parsed.note(note) }
      switch columns {
      case .axes(let longitude, let latitude):
        place = .axes((heading.written[longitude], heading.written[latitude]))
      case .geometry(let column): place = .point(heading.written[column])
      }
    } catch {
      // An object with coordinates, whatever its name.
      var (names, looks): ([[UInt8]], Int) = ([], 0)
      first.forEachMember { key, value in
        guard value.kind == .object, looks < RowDecoder.mostInner else { return }
        looks += 1
        if RowDecoder.axes(of: value) != nil { names.append(Array(key.string)) }
      }
      guard names.count == 1, !error.isAmbiguous else { throw error }
      place = .point(names[0])
      parsed.note("points are in the column \(TableText.quoted(names[0]))")
    }
    if case .point(let name) = place, let value = name.withUnsafeBytes({ first.member($0) }) {
      inner = RowDecoder.axes(of: value)
    }
    self.options = options
    idIsProperty = idProperty != nil
    id =
      idProperty
      ?? heading.written.first { String(decoding: $0, as: UTF8.self).isSameField(as: "id") }
  }

  /// The names of the members of an object, as many as a table may have columns.
  private static func names(of object: TapeNode) -> [[UInt8]] {
    var names: [[UInt8]] = []
    object.forEachMember { key, _ in
      if names.count < TableHeading.mostColumns { names.append(Array(key.string)) }
    }
    return names
  }

  /// The members of an object that hold a longitude and a latitude; nil if there are none.
  private static func axes(of object: TapeNode) -> Axes? {
    guard object.kind == .object, object.count <= mostInner else { return nil }
    let heading = TableHeading(names(of: object))
    guard case .axes(let longitude, let latitude)? = try? CoordinateColumns.find(heading, .init())
    else { return nil }
    return (heading.written[longitude], heading.written[latitude])
  }

  /// Appends an object. A key is its id if it has none.
  mutating func append(
    _ row: TapeNode, key: [UInt8]?, to parsed: inout ParsedFeatures, _ points: inout PointReader,
    _ parser: JSONParser
  ) throws(FeatureRefusal) {
    guard row.kind == .object else { throw FeatureRefusal("not an object") }
    isTold = parsed.keepsReasons
    let coordinate = try coordinate(of: row, &points, &parsed)
    try coordinate.check(isTold: isTold)
    let member = try self.id.flatMap { (name) throws(FeatureRefusal) in
      try FeatureDecoder.id(name.withUnsafeBytes { row.member($0) })
    }
    var id = member
    if id == nil, let key { id = try RowDecoder.id(key) }
    try writeProperties(of: row, parser)
    further.withUnsafeBufferPointer { further in
      properties.withBytes { properties in
        parsed.batch.append(
          id: id, coordinate: coordinate, further: further, properties: properties)
      }
    }
  }

  private static func id(_ key: [UInt8]) throws(FeatureRefusal) -> FeatureID {
    try key.withUnsafeBufferPointer { (key) throws(FeatureRefusal) -> FeatureID in
      do throws(FeatureID.Invalid) {
        return try FeatureID(utf8: UnsafeRawBufferPointer(key)).ofNewFeature()
      } catch {
        throw FeatureRefusal(error.reason)
      }
    }
  }

  private mutating func coordinate(
    of row: TapeNode, _ points: inout PointReader, _ parsed: inout ParsedFeatures
  ) throws(FeatureRefusal) -> Coordinate {
    further.removeAll(keepingCapacity: true)
    switch place {
    case .axes(let axes): return try coordinate(axes, of: row)
    case .point(let name):
      let value = name.withUnsafeBytes { row.member($0) }
      switch value?.kind {
      case .string: return try point(value, name)
      case .array: return try pair(value, name)
      case .object:
        if let value, let inner { return try coordinate(inner, of: value) }
        points.isTold = isTold
        let coordinate = try points.coordinate(value, into: &parsed)
        further = points.further
        return coordinate
      default: throw FeatureRefusal(if: isTold, "no point is in \(TableText.quoted(name))")
      }
    }
  }

  private func coordinate(_ axes: Axes, of object: TapeNode) throws(FeatureRefusal) -> Coordinate {
    Coordinate(
      latitude: try number(axes.latitude, .latitude, of: object),
      longitude: try number(axes.longitude, .longitude, of: object))
  }

  /// A number, or one in a text.
  private func number(
    _ name: [UInt8], _ axis: CoordinateText.Axis, of object: TapeNode
  ) throws(FeatureRefusal) -> Double {
    let value = name.withUnsafeBytes { object.member($0) }
    if let value, value.kind == .number { return value.number }
    if let value, value.kind == .string {
      let decimal = options.decimal ?? UInt8(ascii: ".")
      let text = JSONText.trimmed(value.string)
      if let found = CoordinateText.value(text, decimal: decimal), found.axis ?? axis == axis {
        return found.degrees
      }
      throw FeatureRefusal(
        if: isTold,
        "\(TableText.quoted(text)) in \(TableText.quoted(name)) is not a "
          + (axis == .latitude ? "latitude" : "longitude"))
    }
    throw FeatureRefusal(if: isTold, "no number is in \(TableText.quoted(name))")
  }

  private mutating func point(_ value: TapeNode?, _ name: [UInt8]) throws(FeatureRefusal)
    -> Coordinate
  {
    guard let text = value?.string else { throw FeatureRefusal(if: isTold, "no text") }
    do throws(PointText.Fault) {
      let point = try texts.point(text, decimal: options.decimal ?? UInt8(ascii: "."))
      if let altitude = point.altitude { further.append(altitude) }
      return Coordinate(latitude: point.latitude, longitude: point.longitude)
    } catch {
      throw FeatureRefusal(
        if: isTold, "\(TableText.quoted(text)) in \(TableText.quoted(name)) \(error.reason)")
    }
  }

  /// A list of two numbers: longitude and latitude, unless its name says otherwise.
  private func pair(_ list: TapeNode?, _ name: [UInt8]) throws(FeatureRefusal) -> Coordinate {
    guard let list, list.count == 2, list.firstChild.kind == .number,
      list.firstChild.next.kind == .number
    else {
      throw FeatureRefusal(if: isTold, "\(TableText.quoted(name)) is not a list of two numbers")
    }
    let (first, second) = (list.firstChild.number, list.firstChild.next.number)
    let small = String(decoding: name.map(\.lowercasedASCII), as: UTF8.self)
    return small.begins(with: "lat")
      ? Coordinate(latitude: first, longitude: second)
      : Coordinate(latitude: second, longitude: first)
  }

  private mutating func writeProperties(
    of row: TapeNode, _ parser: JSONParser
  ) throws(FeatureRefusal) {
    properties.removeAll()
    properties.beginObject()
    var lacksMemory = false
    // A closure that captures a part of `self` would copy all of it.
    var writer = JSONWriter()
    swap(&writer, &properties)
    row.forEachMember { key, value in
      guard !isOwn(key) else { return }
      writer.keyUTF8(key.string)
      guard value.kind == .array || value.kind == .object else { return writer.raw(value.text) }
      guard let text = parser.minified(value) else {
        lacksMemory = true
        return
      }
      writer.raw(text)
    }
    swap(&writer, &properties)
    if lacksMemory { throw .outOfMemory }
    properties.endObject()
  }

  /// Whether a member is no property.
  private func isOwn(_ key: TapeNode) -> Bool {
    func isNamed(_ name: [UInt8]) -> Bool { name.withUnsafeBytes { equalBytes($0, key.string) } }
    if let id, !idIsProperty, isNamed(id) { return true }
    switch place {
    case .axes(let axes): return isNamed(axes.longitude) || isNamed(axes.latitude)
    case .point(let name): return isNamed(name)
    }
  }
}
