import ClusterCore
import Glibc

/// Distances on the globe by the angle between two vectors.
public enum TwinGlobe {
  /// A place as a unit vector.
  private static func vector(_ place: Coordinate) -> [Double] {
    let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
    let cosine = place.latitude.magnitude == 90 ? 0 : cos(latitude)
    return [cosine * cos(longitude), cosine * sin(longitude), sin(latitude)]
  }

  /// The distance of two places in metres, to about a hundred nanometres.
  public static func metres(_ a: Coordinate, _ b: Coordinate) -> Double {
    let (u, v) = (vector(a), vector(b))
    let cross = [
      u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0],
    ]
    let sine = cross.reduce(0) { $0 + $1 * $1 }.squareRoot()
    return 6_378_100 * atan2(sine, u[0] * v[0] + u[1] * v[1] + u[2] * v[2])
  }

  /// Some metres around a place so that its edge is farther than a micrometre from all of some others, or, if there are
  /// any at the place itself, 0.
  public static func radius(
    around place: Coordinate, apartFrom others: [Coordinate], using generator: inout SeededGenerator
  ) -> Double {
    if generator.chance(0.1) { return generator.pick([0, 1, 20_037_393, 2.1e7]) }
    let known = others.map { metres(place, $0) }
    while true {
      let radius =
        generator.chance(0.5)
        ? generator.pick(known) + generator.double(-1...1) : exp(generator.double(0...17))
      if radius > 0, known.allSatisfy({ ($0 - radius).magnitude > 1e-5 }) { return radius }
    }
  }

  /// Places all over, on the poles, across the antimeridian, close together, and at the same places.
  public static func places(_ count: Int, using generator: inout SeededGenerator) -> [Coordinate] {
    var places: [Coordinate] = []
    while places.count < count {
      let place: Coordinate =
        switch generator.int(0...9) {
        case 0:
          Coordinate(
            latitude: generator.pick([90, -90, 89.999_999, -86, 85.051_128_78, -85.06]),
            longitude: generator.double(-180...180))
        case 1, 2:
          Coordinate(
            latitude: generator.double(-90...90),
            longitude: generator.pick([180, -180, 179.999_999, -179.999_99, 0]))
        case 3, 4:
          if let near = places.randomElement(using: &generator) {
            Coordinate(
              latitude: min(max(near.latitude + generator.bell() * 1e-5, -90), 90),
              longitude: min(max(near.longitude + generator.bell() * 1e-5, -180), 180))
          } else {
            Coordinate(latitude: 0, longitude: 0)
          }
        case 5: places.randomElement(using: &generator) ?? Coordinate(latitude: 0, longitude: 180)
        default:
          Coordinate(
            latitude: asin(generator.double(-1...1)) * 180 / .pi,
            longitude: generator.double(-180...180))
        }
      places.append(place)
    }
    return places
  }
}
