import Glibc
import TestSupport
import Testing

@testable import ClusterCore

/// The projection and distances on the sphere.
@Suite(.timeLimit(.minutes(5))) struct GeometryTests {
  /// The great-circle distance in metres: haversine, good for small and large ones.
  private func distance(_ a: Coordinate, _ b: Coordinate) -> Double {
    let rad = Double.pi / 180
    let (dLat, dLon) = ((b.latitude - a.latitude) * rad, (b.longitude - a.longitude) * rad)
    let h =
      sin(dLat / 2) * sin(dLat / 2)
      + cos(a.latitude * rad) * cos(b.latitude * rad) * sin(dLon / 2) * sin(dLon / 2)
    return 2 * 6_378_100 * asin(min(1, h.squareRoot()))
  }

  @Test func `a destination lies at its distance and follows the contract's formula`() {
    var generator = SeededGenerator(seed: 101)
    for _ in 0..<2000 {
      let origin = Coordinate(
        latitude: generator.pick([0, 52.5, 89.999, -90, generator.double(-90...90)]),
        longitude: generator.pick([180, -180, 13.4, generator.double(-180...180)]))
      let metres = generator.pick([0.5, 3, 300, 1_000_000])
      let bearing = generator.double(0...6.28)
      let there = Geodesy.destination(from: origin, distance: metres, bearing: bearing)
      #expect((-180..<180).contains(there.longitude) && there.latitude.magnitude <= 90)
      // Doubles of degrees hold about 1e-8 m; the asin near a pole far less.
      let tolerance = origin.latitude.magnitude > 89 ? 0.5 : 1e-4
      #expect((distance(origin, there) - metres).magnitude < max(tolerance, metres * 1e-6))
      let (phi, delta) = (origin.latitude * .pi / 180, metres / 6_378_100)
      let sine = sin(phi) * cos(delta) + cos(phi) * sin(delta) * cos(bearing)
      let lambda =
        origin.longitude * .pi / 180
        + atan2(sin(bearing) * sin(delta) * cos(phi), cos(delta) - sin(phi) * sine)
      let formula = Coordinate(
        latitude: asin(max(-1, min(1, sine))) * 180 / .pi, longitude: lambda * 180 / .pi)
      #expect(there.isNear(formula, within: 1e-8) || formula.longitude.magnitude > 180)
    }
  }

  @Test(arguments: [2, 3, 7, 400])
  func `contesting pins stand on a circle that grows with them`(count: Int) throws {
    let origin = Coordinate(latitude: 52.517729, longitude: 13.3937395)
    let index = try FeatureIndex.of(TwinFeature.coincident(count, at: origin))
    var pinLayout = PinLayout(FeatureScope(index), PinSpread(distance: 3))
    let pins = index.ordinals.map { pinLayout.pin(at: $0) }
    for pin in pins {
      #expect(pin.contested == count)
      #expect((distance(origin, pin.coordinate) - 1.5 * Double(count)).magnitude < 1e-3)
    }
    // Neighbours are a chord apart, all the same; the first stands due north.
    let chord = 2 * 1.5 * Double(count) * sin(.pi / Double(count))
    for (a, b) in zip(pins, pins.dropFirst() + pins.prefix(1)) {
      #expect((distance(a.coordinate, b.coordinate) - chord).magnitude < 1e-2)
    }
    #expect(pins[0].coordinate.latitude > origin.latitude)
    #expect((pins[0].coordinate.longitude - origin.longitude).magnitude < 1e-9)
  }

  @Test func `the projection has MapKit's corners and comes back`() {
    #expect(
      WebMercator.project(Coordinate(latitude: 0, longitude: 0))
        == MapPoint(x: 134_217_728, y: 134_217_728))
    #expect(WebMercator.project(Coordinate(latitude: 0, longitude: 180)).x == 0)
    #expect(WebMercator.project(Coordinate(latitude: 0, longitude: -180)).x == 0)
    #expect(WebMercator.y(latitude: 90) == 0 && WebMercator.y(latitude: 85.051_128_78) < 1)
    #expect(WebMercator.y(latitude: -90) > 268_435_455.0)
    var generator = SeededGenerator(seed: 102)
    for _ in 0..<1000 {
      let coordinate = Coordinate(
        latitude: generator.double(-85.05...85.05), longitude: generator.double(-180...179.99))
      let point = WebMercator.project(coordinate)
      let (x, y) = Twin.project(coordinate)
      #expect(point.x == x && (point.y - y).magnitude < 1e-6)
      #expect((WebMercator.longitude(x: point.x) - coordinate.longitude).magnitude < 1e-9)
      #expect((WebMercator.latitude(y: point.y) - coordinate.latitude).magnitude < 1e-9)
    }
  }

  @Test func `longitudes are brought home from any turn`() {
    for (given, wanted) in [
      (180.0, -180.0), (-180, -180), (540, -180), (190, -170), (-190, 170), (360, 0), (-720, 0),
      (179.5, 179.5),
    ] {
      #expect(Geodesy.normalisedLongitude(given) == wanted)
    }
    for hair in [(180.0).nextUp, (-180.0).nextDown, 1e6, -1e6, -180 - 1e-13] {
      #expect((-180..<180).contains(Geodesy.normalisedLongitude(hair)))
    }
  }
}
