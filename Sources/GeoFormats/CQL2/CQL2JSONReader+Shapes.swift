internal import ClusterCore

extension CQL2JSONReader {
  /// The condition of a spatial function: one of its arguments is the features' geometry, the other GeoJSON or
  /// a bbox.
  static func shape(
    _ arguments: CQL2JSONArguments, at pointer: String
  ) throws(CQL2Error) -> FilterExpression {
    let (left, right) = (try geometry(arguments[0]), try geometry(arguments[1]))
    switch (left, right) {
    case (nil, nil): return .literal(true)
    case (nil, let parts?), (let parts?, nil): return .shape(try CQL2Geometry.shape(parts))
    case (_?, _?):
      throw .json(
        pointer: pointer,
        detail:
          "one of the two geometries must be that of the features: {\"property\":\"geometry\"}")
    }
  }

  /// The condition of S_DWITHIN: the features' geometry, a point, and metres.
  static func disc(_ arguments: CQL2JSONArguments) throws(CQL2Error) -> FilterExpression {
    let (left, right) = (try geometry(arguments[0]), try geometry(arguments[1]))
    guard let centre = CQL2Geometry.centre(left, right) else {
      throw .json(
        pointer: arguments.pointer,
        detail:
          "one of the two geometries must be {\"property\":\"geometry\"}, and the other a Point")
    }
    guard let metres = arguments.list[2].number else {
      throw .json(pointer: arguments[2].pointer, detail: "the distance is a number of metres")
    }
    return .shape(try CQL2Geometry.shape([.disc(GlobeDisc(around: centre, metres: metres))]))
  }

  /// The parts of a geometry; nil for that of the features.
  private static func geometry(
    _ argument: CQL2JSONArguments.Element
  ) throws(CQL2Error) -> [ShapePart]? {
    let (json, pointer) = (argument.value, argument.pointer)
    if let name = property(json) {
      guard CQL2Geometry.names.contains(name) else {
        throw .json(
          pointer: "\(pointer)/property",
          detail: "this is not a geometry; that of features is geometry")
      }
      return nil
    }
    if let box = json["bbox"], json["type"] == nil {
      let numbers = box.elements.compactMap(\.number)
      guard box.kind == .array, numbers.count == box.count,
        let envelope = CQL2Geometry.envelope(numbers)
      else {
        throw .json(pointer: "\(pointer)/bbox", detail: "a bbox has four or six numbers")
      }
      return [envelope]
    }
    return try parts(json, at: pointer, mayBeCollection: true)
  }

  private static func parts(
    _ json: JSONValue, at pointer: String, mayBeCollection: Bool
  ) throws(CQL2Error) -> [ShapePart] {
    guard let type = json["type"]?.string, let kind = CQL2Geometry(rawValue: type), kind != .box,
      mayBeCollection || kind != .collection
    else {
      throw .json(
        pointer: pointer,
        detail: mayBeCollection
          ? "expected geometry, a bbox or a geometry of GeoJSON"
          : "a collection holds points, lines and polygons")
    }
    if kind == .collection {
      var all: [ShapePart] = []
      let elements = try list(json["geometries"], at: "\(pointer)/geometries")
      for (index, element) in elements.enumerated() {
        all += try parts(element, at: "\(pointer)/geometries/\(index)", mayBeCollection: false)
      }
      return all
    }
    let place = "\(pointer)/coordinates"
    let coordinates = json["coordinates"]
    switch kind {
    case .point: return [.point(try point(coordinates, at: place))]
    case .line: return [.line(try line(coordinates, at: place))]
    case .polygon: return [.polygon(try lines(coordinates, at: place))]
    case .points: return try line(coordinates, at: place).map { .point($0) }
    case .lines: return try lines(coordinates, at: place).map { .line($0) }
    case .polygons, .collection, .box:
      var polygons: [ShapePart] = []
      for element in try list(coordinates, at: place) {
        polygons.append(.polygon(try lines(element, at: place)))
      }
      return polygons
    }
  }

  private static func list(_ json: JSONValue?, at pointer: String) throws(CQL2Error) -> [JSONValue]
  {
    guard let json, json.kind == .array, json.count > 0 else {
      throw .json(pointer: pointer, detail: "expected an array that isn't empty")
    }
    return Array(json.elements)
  }

  private static func lines(
    _ json: JSONValue?, at pointer: String
  ) throws(CQL2Error) -> [[Coordinate]] {
    var lines: [[Coordinate]] = []
    for element in try list(json, at: pointer) { lines.append(try line(element, at: pointer)) }
    return lines
  }

  private static func line(
    _ json: JSONValue?, at pointer: String
  ) throws(CQL2Error) -> [Coordinate] {
    var points: [Coordinate] = []
    for element in try list(json, at: pointer) { points.append(try point(element, at: pointer)) }
    return points
  }

  private static func point(_ json: JSONValue?, at pointer: String) throws(CQL2Error) -> Coordinate
  {
    let numbers = json?.elements.map(\.number) ?? []
    guard json?.kind == .array, (2...3).contains(numbers.count), let longitude = numbers[0],
      let latitude = numbers[1], numbers.allSatisfy({ $0 != nil })
    else {
      throw .json(
        pointer: pointer, detail: "a point has a longitude, a latitude and perhaps a height")
    }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}
