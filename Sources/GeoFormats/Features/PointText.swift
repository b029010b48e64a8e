internal import Texts

/// A point in one field: well-known text, well-known binary in hexadecimal digits, a GeoJSON Point, or "lat,lon".
struct PointText {
  /// A point that was read.
  struct Point: Equatable {
    var longitude: Double
    var latitude: Double
    var altitude: Double?
  }

  /// The axis of the first of two numbers, if the name of their column tells it.
  struct Order {
    /// That of two numbers without brackets.
    var first: CoordinateText.Axis?
    /// That of a list in brackets.
    var ofList: CoordinateText.Axis?
  }

  /// Whether the reasons of refusals, each the rest of a sentence, are told.
  var isTold = true

  private static let none = FeatureRefusal(
    "is no point: no WKT, WKB, GeoJSON Point or \"lat,lon\"")

  private let parser = JSONParser()

  /// Reads a text.
  func point(
    _ text: UnsafeRawBufferPointer, decimal: UInt8, order: Order
  ) throws(FeatureRefusal) -> Point {
    let text = JSONText.trimmed(text)
    guard let first = text.first else { throw FeatureRefusal("is no point") }
    if first == UInt8(ascii: "{") { return try geoJSON(text) }
    if let bytes = WKBPoint.bytes(hexadecimal: text) { return try WKBPoint.point(bytes, self) }
    let head = String(decoding: text.prefix(40), as: UTF8.self).lowercasedASCII
    if head.begins(with: "srid=") || PointText.shapes.contains(where: head.begins) {
      return try wellKnown(text)
    }
    return try pair(text, decimal: decimal, order)
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

  /// Latitude and longitude, in this order unless their letters or the name say otherwise. Numbers in brackets have either
  /// order, but for latitudes first in `(52.5, 13.4)`; of that a longitude beyond 90 tells, too.
  private func pair(
    _ text: UnsafeRawBufferPointer, decimal: UInt8, _ order: Order
  ) throws(FeatureRefusal) -> Point {
    guard var plain = CoordinateText.plain(text) else { throw PointText.none }
    var first = order.first ?? .latitude
    var isKnown = true
    switch (plain.first, plain.last) {
    case (UInt8(ascii: "["), UInt8(ascii: "]")):
      (first, isKnown) = (order.ofList ?? first, order.ofList != nil)
      plain = Array(plain.dropFirst().dropLast())
    case (UInt8(ascii: "("), UInt8(ascii: ")")):
      // PostgreSQL writes longitudes first, and no blank.
      isKnown = order.first != nil || plain.contains(0x20)
      plain = Array(plain.dropFirst().dropLast())
    default: break
    }
    let parts = try halves(plain, isComma: decimal == UInt8(ascii: ","))
    let values = parts.compactMap { part in
      let mark = part.contains(UInt8(ascii: ",")) ? UInt8(ascii: ",") : UInt8(ascii: ".")
      return CoordinateText.value(plain: part, decimal: mark)
    }
    guard values.count == 2 else { throw PointText.none }
    switch (values[0].axis, values[1].axis) {
    case (nil, nil):
      if !isKnown {
        let isLongitude = values.map { $0.degrees.magnitude > 90 }
        guard isLongitude[0] != isLongitude[1] else {
          throw FeatureRefusal(
            "is in either order; a column that is called lonlat or latlon tells which is first")
        }
        first = isLongitude[0] ? .longitude : .latitude
      }
    case (.latitude, .longitude): first = .latitude
    case (.longitude, .latitude): first = .longitude
    default: throw PointText.none
    }
    let (longitude, latitude) =
      first == .longitude ? (values[0], values[1]) : (values[1], values[0])
    return Point(longitude: longitude.degrees, latitude: latitude.degrees)
  }

  /// The two parts between which a comma or semicolon stands, or the space behind the letter of the first, or between
  /// numbers with decimals.
  private func halves(
    _ plain: [UInt8], isComma: Bool
  ) throws(FeatureRefusal) -> [ArraySlice<UInt8>] {
    // Characters: these are bytes
    let words = plain.split(separator: 0x20)
    let areDecimals = words.allSatisfy { word in
      word.last?.isDigit == true && word.contains { ".,".utf8.contains($0) }
    }
    if words.count == 2, areDecimals { return words }
    let hasSemicolon = plain.contains(UInt8(ascii: ";"))
    // Where commas are decimals, "52,5" would be half a pair.
    if isComma, !hasSemicolon, !plain.contains(UInt8(ascii: ".")) { throw PointText.none }
    // Characters: these are bytes
    let parts = plain.split(
      separator: UInt8(ascii: hasSemicolon ? ";" : ","), omittingEmptySubsequences: false)
    if parts.count == 2 { return parts }
    guard parts.count == 1, let end = plain.firstIndex(where: { "NSEW".utf8.contains($0) }),
      end > 0, end + 1 < plain.count, plain[end + 1] == 0x20
    else { throw PointText.none }
    return [plain[...end], plain[(end + 2)...]]
  }
}

extension StringProtocol {
  /// The text with its ASCII letters in upper case.
  fileprivate var uppercasedASCII: String {
    String(decoding: utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
  }
}
