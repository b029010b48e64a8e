internal import ClusterCore

/// The centroid of a geometry on the plane of longitude and latitude: that of its areas; of its lines if it has no area;
/// else the mean of its points. Where its parts lie on both sides of 180°, they are neighbours there.
///
/// Edges are straight on the plane (RFC 7946, section 3.1.1). Only one that goes most of the way around the world, as none
/// does by itself, crosses 180° instead.
struct Centroid {
  /// A list of positions, and what of a geometry it is.
  private struct Path {
    enum Kind { case points, line, ring, hole }

    let kind: Kind
    let positions: [TapeNode]
  }

  /// A weighted sum of places, relative to the first one.
  private struct Sum {
    var weight = 0.0
    var x = 0.0
    var y = 0.0

    mutating func add(_ weight: Double, _ x: Double, _ y: Double) {
      self.weight += weight
      self.x += weight * x
      self.y += weight * y
    }
  }

  private var paths: [Path] = []
  private var points = Sum()
  private var lines = Sum()
  private var areas = Sum()
  /// The place that sums are relative to, which keeps small shapes precise.
  private var base: Coordinate?
  /// The longest edge that doesn't cross 180°, in degrees of longitude; one around the whole world doesn't, either.
  private static let longestEdge = 270.0
  /// Whether longitudes count from 0 to 360.
  private var isTurned = false

  /// Computes the centroid of a geometry on a full tape, in linear time.
  static func coordinate(of geometry: TapeNode) throws(FeatureRefusal) -> Coordinate {
    var centroid = Centroid()
    try centroid.collect(geometry)
    try centroid.measure()
    for path in centroid.paths { try centroid.add(path) }
    return try centroid.result()
  }

  private mutating func collect(_ geometry: TapeNode) throws(FeatureRefusal) {
    var waiting = [geometry]
    while let next = waiting.popLast() {
      guard next.kind == .object else {
        throw FeatureRefusal("/geometry/geometries has other values")
      }
      let members = GeoJSONMembers(next)
      let coordinates = members.coordinates
      switch GeometryType(members.type) {
      case .point?: paths.append(Path(kind: .points, positions: [try Centroid.list(coordinates)]))
      case .multiPoint?: try collect(.points, coordinates)
      case .lineString?: try collect(.line, coordinates)
      case .multiLineString?:
        for line in try Centroid.list(coordinates).children { try collect(.line, line) }
      case .polygon?: try collect(rings: coordinates)
      case .multiPolygon?:
        for polygon in try Centroid.list(coordinates).children { try collect(rings: polygon) }
      case .geometryCollection?: waiting += try Centroid.list(members.geometries).children
      case nil: throw members.refusal("/geometry")
      }
    }
  }

  private mutating func collect(rings polygon: TapeNode?) throws(FeatureRefusal) {
    for (index, ring) in try Centroid.list(polygon).children.enumerated() {
      try collect(index == 0 ? .ring : .hole, ring)
    }
  }

  private mutating func collect(_ kind: Path.Kind, _ list: TapeNode?) throws(FeatureRefusal) {
    paths.append(Path(kind: kind, positions: Array(try Centroid.list(list).children)))
  }

  private static func list(_ node: TapeNode?) throws(FeatureRefusal) -> TapeNode {
    guard let node, node.kind == .array else { throw noLists }
    return node
  }

  private static let noLists = FeatureRefusal("/geometry/coordinates aren't lists of positions")

  private static func position(_ node: TapeNode) throws(FeatureRefusal) -> Coordinate {
    guard node.kind == .array, node.count >= 2, node.firstChild.kind == .number,
      node.firstChild.next.kind == .number
    else { throw noLists }
    let place = Coordinate(
      latitude: node.firstChild.next.number, longitude: node.firstChild.number)
    try place.check()
    return place
  }

  /// Finds out on which side of 180° longitudes are to count on.
  private mutating func measure() throws(FeatureRefusal) {
    var usual = (least: Double.infinity, greatest: -Double.infinity)
    var turned = usual
    // Turned, a shape whose edges cross 0° would be torn there.
    var crossesZero = false
    for path in paths {
      var previous: Double?
      for node in path.positions {
        let place = try Centroid.position(node)
        if let previous, path.kind != .points, (previous < 0) != (place.longitude < 0) {
          let length = (previous - place.longitude).magnitude
          if length <= Centroid.longestEdge || length >= 360 { crossesZero = true }
        }
        previous = place.longitude
        let longitude = place.longitude < 0 ? place.longitude + 360 : place.longitude
        usual = (min(usual.least, place.longitude), max(usual.greatest, place.longitude))
        turned = (min(turned.least, longitude), max(turned.greatest, longitude))
        base = base ?? place
      }
    }
    isTurned = !crossesZero && turned.greatest - turned.least < usual.greatest - usual.least
  }

  private func offset(_ node: TapeNode) throws(FeatureRefusal) -> (x: Double, y: Double) {
    let place = try Centroid.position(node)
    guard let base else { return (0, 0) }
    func side(_ longitude: Double) -> Double {
      isTurned && longitude < 0 ? longitude + 360 : longitude
    }
    return (side(place.longitude) - side(base.longitude), place.latitude - base.latitude)
  }

  private mutating func add(_ path: Path) throws(FeatureRefusal) {
    var ring = Sum()
    var previous: (x: Double, y: Double)?
    for node in path.positions {
      let place = try offset(node)
      points.add(1, place.x, place.y)
      if let last = previous, path.kind != .points {
        let length =
          ((place.x - last.x) * (place.x - last.x) + (place.y - last.y) * (place.y - last.y))
          .squareRoot()
        lines.add(length, (last.x + place.x) / 2, (last.y + place.y) / 2)
        // Twice the triangle with the base, whose centroid is a third of its corners' sum.
        ring.add(
          last.x * place.y - place.x * last.y, (last.x + place.x) / 3, (last.y + place.y) / 3)
      }
      previous = place
    }
    guard path.kind == .ring || path.kind == .hole, ring.weight != 0 else { return }
    // Rings count whichever way round they are.
    let sign = (ring.weight < 0) == (path.kind == .hole) ? 1.0 : -1.0
    areas.weight += sign * ring.weight
    areas.x += sign * ring.x
    areas.y += sign * ring.y
  }

  private func result() throws(FeatureRefusal) -> Coordinate {
    let sums = [areas, lines, points]
    guard let base, let sum = sums.first(where: { $0.weight > 0 }) else {
      throw FeatureRefusal("/geometry has no positions")
    }
    var longitude = base.longitude + sum.x / sum.weight
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    let latitude = base.latitude + sum.y / sum.weight
    return Coordinate(
      latitude: min(max(latitude, -90), 90), longitude: min(max(longitude, -180), 180))
  }
}
