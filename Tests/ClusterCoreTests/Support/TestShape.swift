import TestSupport

@testable import ClusterCore

/// A shape whose points are eighths of degrees, in exact integers.
struct TestShape {
  private typealias Point = (x: Int, y: Int)

  private let shape: Shape

  init(_ shape: Shape) { self.shape = shape }

  func contains(_ place: Coordinate) -> Bool {
    let p = TestShape.point(place)
    return shape.parts.contains { part in
      switch part {
      case .point(let point): return TestShape.point(point) == p
      case .line(let points): return TestShape.edges(points).contains { TestShape.isOn(p, $0) }
      case .polygon(let rings):
        let edges = rings.flatMap(TestShape.edges)
        if edges.contains(where: { TestShape.isOn(p, $0) }) { return true }
        return edges.count { TestShape.crosses(p, $0) } % 2 == 1
      case .disc(let disc): return TwinGlobe.metres(disc.centre.origin, place) <= disc.metres
      case .envelope(let box):
        guard place.latitude >= box.south, place.latitude <= box.north else { return false }
        return box.west <= box.east
          ? place.longitude >= box.west && place.longitude <= box.east
          : place.longitude >= box.west || place.longitude <= box.east
      }
    }
  }

  private static func point(_ place: Coordinate) -> Point {
    (Int(place.longitude * 8), Int(place.latitude * 8))
  }

  private static func edges(_ points: [Coordinate]) -> [(Point, Point)] {
    zip(points, points.dropFirst()).map { (point($0), point($1)) }
  }

  private static func turn(_ a: Point, _ b: Point, _ c: Point) -> Int {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
  }

  private static func isOn(_ p: Point, _ edge: (Point, Point)) -> Bool {
    let (a, b) = edge
    return turn(a, b, p) == 0 && p.x >= min(a.x, b.x) && p.x <= max(a.x, b.x)
      && p.y >= min(a.y, b.y) && p.y <= max(a.y, b.y)
  }

  /// Whether the way to the east crosses the edge.
  private static func crosses(_ p: Point, _ edge: (Point, Point)) -> Bool {
    let (low, high) = edge.0.y < edge.1.y ? edge : (edge.1, edge.0)
    return low.y <= p.y && p.y < high.y && turn(low, high, p) > 0
  }
}

extension SeededGenerator {
  private mutating func place() -> Coordinate {
    let latitude = pick([0, 0, 0, 84, -84]) + Double(int(-80...80)) / 8
    let longitude = pick([-180, 180, 0, 0, 7.5]) + Double(int(-80...80)) / 8
    return Coordinate(latitude: latitude, longitude: longitude).withinWorld
  }

  /// A star around a place, its points clockwise or not.
  private mutating func ring(
    _ center: Coordinate, radius: Double, corners: Int
  ) -> [Coordinate] {
    var angles = (0..<corners).map { _ in Double.random(in: 0..<2 * .pi, using: &self) }.sorted()
    if chance(0.5) { angles.reverse() }
    var points = angles.map { angle in
      let reach = radius * Double.random(in: 0.3...1, using: &self)
      return Coordinate(
        latitude: ((center.latitude + reach * sine(angle)) * 8).rounded() / 8,
        longitude: ((center.longitude + reach * sine(angle + .pi / 2)) * 8).rounded() / 8
      ).withinWorld
    }
    points.append(points[0])
    return points
  }

  private func sine(_ angle: Double) -> Double {
    // Any star does; this avoids another library.
    let x = angle.truncatingRemainder(dividingBy: 2 * .pi) / .pi
    return x < 1 ? 4 * x * (1 - x) : -4 * (x - 1) * (2 - x)
  }

  private mutating func part() -> ShapePart {
    switch int(0...9) {
    case 0: return .point(place())
    case 1: return .line((0..<int(2...5)).map { _ in place() })
    case 2:
      let (a, b) = (place(), place())
      return .envelope(
        GeoBounds(
          west: a.longitude, south: min(a.latitude, b.latitude), east: b.longitude,
          north: max(a.latitude, b.latitude)))
    default:
      let center = place()
      var rings = [ring(center, radius: 20, corners: int(3...12))]
      if chance(0.6) { rings.append(ring(center, radius: 3, corners: int(3...5))) }
      // A hole that touches the outer ring at a corner.
      if chance(0.3), let corner = rings[0].first {
        let (dx, dy) = (
          (center.longitude - corner.longitude) / 4, (center.latitude - corner.latitude) / 4
        )
        func near(_ x: Double, _ y: Double) -> Coordinate {
          Coordinate(
            latitude: ((corner.latitude + y) * 8).rounded() / 8,
            longitude: ((corner.longitude + x) * 8).rounded() / 8)
        }
        rings.append([corner, near(dx, dy), near(dx - dy / 8, dy + dx / 8), corner])
      }
      return .polygon(rings)
    }
  }

  /// A valid shape.
  mutating func shape() -> Shape {
    while true {
      let parts = (0..<(chance(0.7) ? 1 : int(2...4))).map { _ in part() }
      if let shape = try? Shape(parts) { return shape }
    }
  }
}

extension Coordinate {
  var withinWorld: Coordinate {
    Coordinate(
      latitude: min(max(latitude, -90), 90), longitude: min(max(longitude, -180), 180))
  }
}
