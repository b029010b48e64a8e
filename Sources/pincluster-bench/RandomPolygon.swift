import ClusterCore
import Glibc

/// A polygon with a ragged outline, as districts and countries have one.
struct RandomPolygon {
  /// Its corners without the last, which is the first.
  let corners: [Coordinate]

  /// - Parameter radius: about half of its height, in degrees.
  init(around centre: Coordinate, radius: Double, corners count: Int, _ synthetic: inout Synthetic)
  {
    // Waves of a few lengths make bays and capes.
    let waves = (2...7).map { number in
      (Double(number), 0.5 / Double(number) * synthetic.uniform(), 6.28 * synthetic.uniform())
    }
    // All of it is within the world.
    let (x, y) = (179 - 2.7 * radius, 84 - 1.9 * radius)
    let middle = Coordinate(
      latitude: min(max(centre.latitude, -y), y), longitude: min(max(centre.longitude, -x), x))
    corners = (0..<count).map { number in
      let angle = 2 * .pi * Double(number) / Double(count)
      let wave = waves.reduce(1) { $0 + $1.1 * sin($1.0 * angle + $1.2) }
      let reach = radius * (wave + 0.05 * synthetic.uniform())
      func rounded(_ degrees: Double) -> Double { (degrees * 1e6).rounded() / 1e6 }
      return Coordinate(
        latitude: rounded(middle.latitude + reach * sin(angle)),
        longitude: rounded(middle.longitude + reach * 1.4 * cos(angle)))
    }
  }

  /// CQL2 text for the features in it.
  var filter: String {
    let points = (corners + [corners[0]]).map { "\($0.longitude) \($0.latitude)" }
    return "S_INTERSECTS(geometry,POLYGON((\(points.joined(separator: ",")))))"
  }

  /// Its rectangle as the value of `bbox`.
  var bbox: String {
    let (latitudes, longitudes) = (corners.map(\.latitude), corners.map(\.longitude))
    return [longitudes.min(), latitudes.min(), longitudes.max(), latitudes.max()]
      .map { "\($0 ?? 0)" }.joined(separator: ",")
  }
}
