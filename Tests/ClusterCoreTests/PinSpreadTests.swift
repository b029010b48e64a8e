import Glibc
import TestSupport
import Testing

@testable import ClusterCore

/// Where pins stand that share a coordinate, by the formulas of the contract.
@Suite(.timeLimit(.minutes(5))) struct PinSpreadTests {
  private let origin = Coordinate(latitude: 47.5, longitude: 179.9999)

  /// The distance in metres and the bearing in degrees on a sphere.
  private func way(to place: Coordinate) -> (metres: Double, bearing: Double) {
    let (a, b) = (origin.latitude * .pi / 180, place.latitude * .pi / 180)
    let turn = (place.longitude - origin.longitude) * .pi / 180
    let half = pow(sin((b - a) / 2), 2) + cos(a) * cos(b) * pow(sin(turn / 2), 2)
    let bearing = atan2(sin(turn) * cos(b), cos(a) * sin(b) - sin(a) * cos(b) * cos(turn))
    return (2 * 6_378_100 * asin(half.squareRoot()), bearing * 180 / .pi)
  }

  private func difference(_ a: Double, _ b: Double) -> Double {
    let rest = (a - b).truncatingRemainder(dividingBy: 360).magnitude
    return min(rest, 360 - rest)
  }

  @Test func `a spiral grows by the root`() {
    var spread = PinSpread(distance: 20)
    spread.figure = .spiral
    for rank in 0..<500 {
      let place = spread.place(of: rank, of: 500, around: origin)
      #expect((-180..<180).contains(place.longitude))
      let (metres, bearing) = way(to: place)
      #expect((metres - 20 * (Double(rank) + 0.5).squareRoot()).magnitude < 1e-4)
      #expect(difference(bearing, Double(rank) * 137.50776405) < 1e-3)
    }
    #expect(spread.place(of: 0, of: 1, around: origin) == origin)
    spread.distance = 0
    #expect(spread.place(of: 3, of: 9, around: origin) == origin)
  }

  @Test(arguments: PinSpread.Figure.allCases)
  func `points are those of the map`(figure: PinSpread.Figure) {
    for zoom in [2.0, 9.3, 17, 24] {
      var settings = ClusterSettings()
      (settings.pinLayout, settings.spreadUnit) = (figure, .points)
      settings.distanceFromContestedLocation = 12
      let spread = settings.spread(atZoom: zoom)
      let point = WebMercator.project(origin)
      let scale = 268_435_456 / (256 * pow(2, zoom))
      for (rank, count) in [(0, 2), (1, 2), (0, 30), (7, 30), (29, 30)] {
        let n = Double(count)
        let (reach, turn) =
          figure == .circle
          ? (12 * n / 2, 360 * Double(rank) / n)
          : (12 * (Double(rank) + 0.5).squareRoot(), Double(rank) * 137.50776405)
        let place = WebMercator.project(spread.place(of: rank, of: count, around: origin))
        var x = (place.x - point.x) / scale
        let around = 256 * pow(2, zoom)
        if x < -around / 2 { x += around }
        if x > around / 2 { x -= around }
        let (wantedX, wantedY) = (reach * sin(turn * .pi / 180), -reach * cos(turn * .pi / 180))
        #expect((x - wantedX).magnitude < 1e-4, "\(zoom) \(rank)")
        #expect(((place.y - point.y) / scale - wantedY).magnitude < 1e-4, "\(zoom) \(rank)")
      }
    }
  }

  @Test func `points end at the world's edge`() {
    var spread = PinSpread(distance: 1000)
    spread.mapPointsPerPoint = 1_048_576
    let places = (0..<9).map {
      spread.place(of: $0, of: 9, around: Coordinate(latitude: 89, longitude: -180))
    }
    for place in places {
      #expect(place.latitude.magnitude < 85.0512 && (-180..<180).contains(place.longitude))
    }
  }
}
