import ClusterCore
import Glibc

extension Twin {
  /// Where a pin is drawn, section 5: features that share a coordinate stand in a circle about it.
  public static func spread(_ one: Placed, distance: Double) -> Coordinate {
    let own = one.feature.coordinate
    guard one.contested > 1 else { return own }
    let n = Double(one.contested)
    let (phi, lambda) = (own.latitude * .pi / 180, own.longitude * .pi / 180)
    let theta = 2 * .pi * Double(one.turn) / n
    let delta = distance * n / (2 * earthRadius)
    let sine = sin(phi) * cos(delta) + cos(phi) * sin(delta) * cos(theta)
    let phi2 = asin(min(1, max(-1, sine)))
    let lambda2 =
      lambda
      + atan2(sin(theta) * sin(delta) * cos(phi), cos(delta) - sin(phi) * sin(phi2))
    var longitude = lambda2 * 180 / .pi
    while longitude >= 180 { longitude -= 360 }
    while longitude < -180 { longitude += 360 }
    return Coordinate(latitude: phi2 * 180 / .pi, longitude: longitude)
  }

  /// The pins of a rect over some features.
  public static func pins(
    _ features: [TwinFeature], _ rect: TwinRequest.Rect, marginFactor: Double = 0.5,
    distance: Double = 3, limit: Int = 1000
  ) throws(TwinRefusal) -> [TwinPin] {
    try Twin(features).pins(rect, marginFactor: marginFactor, distance: distance, limit: limit)
  }

  /// The pins of a rect, section 5, in index order.
  public func pins(
    _ rect: TwinRequest.Rect, marginFactor: Double = 0.5, distance: Double = 3, limit: Int = 1000
  ) throws(TwinRefusal) -> [TwinPin] {
    let edges = try TwinEdges(rect).grown(by: marginFactor)
    let inside = placed.filter { Twin.holds(edges, $0) }
    guard inside.count <= limit else { throw .overLimit }
    return inside.map { one in
      TwinPin(
        feature: one.feature, coordinate: Twin.spread(one, distance: distance),
        contested: one.contested)
    }
  }

  /// West and north edges in, east and south out, the world's own in.
  private static func holds(_ edges: TwinEdges, _ one: Placed) -> Bool {
    let isAboveSouth =
      one.y < edges.south || edges.south >= worldSize.nextDown || one.y == 0 && edges.south == 0
    guard one.y >= edges.north, isAboveSouth else { return false }
    if edges.east - edges.west >= worldSize { return true }
    // The turns of the world that the rect may touch.
    let turns = floor(edges.west / worldSize)...floor(edges.east / worldSize)
    return stride(from: turns.lowerBound, through: turns.upperBound, by: 1).contains { turn in
      let x = one.x + turn * worldSize
      return x >= edges.west && x < edges.east
    }
  }

  /// The features within the request's rect, without its margin.
  public func featuresOnScreen(of request: TwinRequest) throws(TwinRefusal) -> [TwinFeature] {
    let edges = try TwinEdges(request.rect)
    return placed.filter { Twin.holds(edges, $0) }.map(\.feature)
  }

  /// The features of `items?bbox=` in index order, section 2: all in degrees, west and south in, east and
  /// north out, north 90 in.
  public func items(west: Double, south: Double, east: Double, north: Double) -> [TwinFeature] {
    let isWhole = east - west >= 360
    let end = west > east ? east + 360 : east
    return features.filter { feature in
      let (latitude, given) = (feature.coordinate.latitude, feature.coordinate.longitude)
      guard latitude >= south, latitude < north || latitude == 90 && north == 90 else {
        return false
      }
      if isWhole { return true }
      let longitude = given == 180 ? -180 : given
      // Plain comparisons where they do: adding a turn loses the last bits.
      if (-180...180).contains(west), (-180...180).contains(east) {
        return west > east
          ? longitude >= west || longitude < east : longitude >= west && longitude < east
      }
      return [-720.0, -360, 0, 360, 720].contains { turn in
        longitude + turn >= west && longitude + turn < end
      }
    }
  }

  /// The features of `items?bbox=` over some features.
  public static func items(
    _ features: [TwinFeature], west: Double, south: Double, east: Double, north: Double
  ) -> [TwinFeature] {
    Twin(features).items(west: west, south: south, east: east, north: north)
  }
}
