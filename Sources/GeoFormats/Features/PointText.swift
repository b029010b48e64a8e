internal import Texts

/// A point in one field: well-known text, well-known binary in hexadecimal digits, a GeoJSON Point, or "lat,lon".
struct PointText {
  /// A point that was read.
  struct Point: Equatable {
    var longitude: Double
    var latitude: Double
    var altitude: Double?
  }

  /// Whether the reasons of refusals, each the rest of a sentence, are told.
  var isTold = true

  private static let none = FeatureRefusal(
    "is no point: no WKT, WKB, GeoJSON Point or \"lat,lon\"")

  private let parser = JSONParser()

  /// Reads a text.
  func point(_ text: UnsafeRawBufferPointer, decimal: UInt8) throws(FeatureRefusal) -> Point {
    let text = JSONText.trimmed(text)
    guard let first = text.first else { throw FeatureRefusal("is no point") }
    if first == UInt8(ascii: "{") { return try geoJSON(text) }
    if let bytes = WKBPoint.bytes(hexadecimal: text) { return try WKBPoint.point(bytes, self) }
    let head = String(decoding: text.prefix(40), as: UTF8.self).lowercasedASCII
    if head.begins(with: "srid=") || PointText.shapes.contains(where: head.begins) {
      return try wellKnown(text)
    }
    return try pair(text, decimal: decimal)
  }

  /// Refuses a system unless its degrees are those of WGS 84.
  private func check(
    _ system: @autoclosure () -> String, isDegrees: Bool
  ) throws(FeatureRefusal) {
    if isDegrees { return }
    throw FeatureRefusal(
      if: isTold,
      "has the reference system \(system()); degrees of WGS 84 are needed, "
        + "as ogr2ogr -t_srs EPSG:4326 makes them")
  }

  /// Refuses a number of a reference system other than WGS 84.
  func check(srid: Int) throws(FeatureRefusal) {
    try check("\(srid)", isDegrees: srid == 4326 || srid == 0)
  }

  /// The refusal of another shape.
  func refusal(of shape: String) -> FeatureRefusal {
    FeatureRefusal(if: isTold, "is a \(shape.uppercasedASCII) and no POINT")
  }

  // MARK: GeoJSON

  private func geoJSON(_ text: UnsafeRawBufferPointer) throws(FeatureRefusal) -> Point {
    guard let value = try? parser.parse(text), value.kind == .object else {
      throw FeatureRefusal("is no JSON")
    }
    var type = ""
    var numbers: [Double]?
    for (key, member) in value.members {
      switch String(decoding: key, as: UTF8.self) {
      case "type": type = member.string ?? ""
      case "crs" where member.kind != .null, "coordRefSys" where member.kind != .null:
        let name = ReferenceSystemReader.name(member)
        try check(
          String((name ?? "of its member crs").shortened(to: 80)),
          isDegrees: name.map { ReferenceSystem(named: $0).isDegrees } ?? false)
      case "coordinates" where member.kind == .array && member.count <= 4:
        numbers = member.elements.compactMap(\.number)
        if numbers?.count != member.count { numbers = nil }
      default: break
      }
    }
    guard type.isSame(as: "Point") else {
      let other = type.isEmpty ? "" : " but a \(type.shortened(to: 40))"
      throw FeatureRefusal("is no GeoJSON Point\(other)")
    }
    guard let numbers, numbers.count >= 2 else { throw FeatureRefusal("has no coordinates") }
    return Point(
      longitude: numbers[0], latitude: numbers[1], altitude: numbers.count > 2 ? numbers[2] : nil)
  }

  // MARK: Well-known text

  private static let shapes = [
    "point", "multipoint", "linestring", "multilinestring", "polygon", "multipolygon",
    "geometrycollection", "circularstring", "compoundcurve", "curvepolygon", "tin", "triangle",
    "polyhedralsurface",
  ]

  private func wellKnown(_ text: UnsafeRawBufferPointer) throws(FeatureRefusal) -> Point {
    // A point is short; another shape is named by its beginning.
    var rest = String(decoding: text.prefix(400), as: UTF8.self).lowercasedASCII[...]
    if let (srid, shape) = rest.after("srid=").map({ $0.cut(at: UInt8(ascii: ";")) }) {
      guard let shape, let number = Int(srid.trimmed) else { throw PointText.none }
      try check(srid: number)
      rest = shape.trimmed
    }
    let multiple = rest.after("multipoint")
    guard let arguments = multiple ?? rest.after("point") else {
      let shape = PointText.shapes.filter(rest.begins).last
      throw shape.map(refusal) ?? PointText.none
    }
    let isOfMany = multiple?.utf8.contains(UInt8(ascii: ",")) == true
    if multiple != nil, isOfMany || text.count >= 400 { throw refusal(of: "multipoint") }
    guard text.count < 400 else { throw PointText.none }
    var body = arguments.trimmed
    var hasMeasure = false
    for (dimension, isMeasured) in [("zm", true), ("z", false), ("m", true)] {
      guard let other = body.after(dimension) else { continue }
      hasMeasure = isMeasured
      body = other.trimmed
      break
    }
    if body.isSame(as: "empty") { throw FeatureRefusal("is an empty point") }
    guard var inner = PointText.inParentheses(body) else { throw PointText.none }
    // One of one point is that point, with parentheses of its own or without.
    if multiple != nil { inner = PointText.inParentheses(inner.trimmed) ?? inner }
    let parts = String(inner)
      .escaped { $0 == 0x09 || $0 == 0x0A || $0 == 0x0D ? " " : nil }
      .parts(separatedBy: 0x20).filter { !$0.utf8.isEmpty }
    let numbers = parts.compactMap { part in
      Array(part.utf8).withUnsafeBytes { JSONText.decimal($0) }
    }
    guard numbers.count == parts.count, (2...4).contains(numbers.count) else {
      throw PointText.none
    }
    let hasAltitude = numbers.count > (hasMeasure ? 3 : 2)
    return Point(
      longitude: numbers[0], latitude: numbers[1], altitude: hasAltitude ? numbers[2] : nil)
  }

  /// The text between parentheses that a text begins and ends with; nil if it doesn't.
  private static func inParentheses(_ text: Substring) -> Substring? {
    guard let inner = text.after("("), inner.ends(with: ")") else { return nil }
    return Substring(inner.utf8.dropLast())
  }

  // MARK: Two coordinates

  /// Latitude and longitude, in this order unless their letters say otherwise.
  private func pair(_ text: UnsafeRawBufferPointer, decimal: UInt8) throws(FeatureRefusal) -> Point
  {
    guard let plain = CoordinateText.plain(text) else { throw PointText.none }
    let isComma = decimal == UInt8(ascii: ",")
    var separator = UInt8(ascii: ";")
    if !plain.contains(separator) {
      separator = UInt8(ascii: ",")
      // Where commas are decimals, "52,5" would be half a pair.
      if isComma, !plain.contains(UInt8(ascii: ".")) { throw PointText.none }
    }
    let parts = halves(plain, separator)
    guard parts.count == 2 else { throw PointText.none }
    let values = parts.compactMap { part in
      let mark = part.contains(UInt8(ascii: ",")) ? UInt8(ascii: ",") : UInt8(ascii: ".")
      return CoordinateText.value(plain: part, decimal: mark)
    }
    guard values.count == 2 else { throw PointText.none }
    switch (values[0].axis, values[1].axis) {
    case (nil, nil), (.latitude, .longitude):
      return Point(longitude: values[1].degrees, latitude: values[0].degrees)
    case (.longitude, .latitude):
      return Point(longitude: values[0].degrees, latitude: values[1].degrees)
    default: throw PointText.none
    }
  }

  /// The two parts between which a separator stands, or the space behind the letter of the first.
  private func halves(_ plain: [UInt8], _ separator: UInt8) -> [ArraySlice<UInt8>] {
    // Characters: these are bytes
    let parts = plain.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == 1, let end = plain.firstIndex(where: { "NSEW".utf8.contains($0) }),
      end > 0, end + 1 < plain.count, plain[end + 1] == 0x20
    else { return parts }
    return [plain[...end], plain[(end + 2)...]]
  }
}

extension StringProtocol {
  /// The text with its ASCII letters in upper case.
  fileprivate var uppercasedASCII: String {
    String(decoding: utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
  }
}
