import Foundation
import PinclusterClient
import TestSupport
import Testing

/// The scale of maps that are turned.
@Suite(.timeLimit(.minutes(1))) struct ScaleTests {
  private let world = 268_435_456.0

  private func zoom(_ scale: ViewRequest.Scale?) -> Double? {
    if case .zoom(let zoom)? = scale { return zoom }
    return nil
  }

  @Test func `a turned map has the scale that it had`() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<500 {
      let wanted = generator.double(0.1...20)
      let (bearing, points) = (generator.double(0...2 * .pi), generator.double(1...400))
      // Also where the world ends within the segment.
      let (x, y) = (generator.pick([0, world, generator.double(0...world)]), world / 3)
      let half = world / 256 / exp2(wanted) * points / 2
      func end(_ side: Double) -> MapPoint {
        let east = (x + side * half * cos(bearing)).truncatingRemainder(dividingBy: world)
        return MapPoint(x: east < 0 ? east + world : east, y: y + side * half * sin(bearing))
      }
      // Longer than half of the world it would be another segment.
      guard half * 2 < world / 2 else { continue }
      let found = try #require(zoom(.zoom(ofSegment: points, from: end(-1), to: end(1))))
      #expect((found - wanted).magnitude < 1e-6)
    }
  }

  @Test func `scales that no map has`() {
    let place = MapPoint(x: 5, y: 5)
    #expect(ViewRequest.Scale.zoom(ofSegment: 100, from: place, to: place) == nil)
    #expect(
      ViewRequest.Scale.zoom(ofSegment: 100, from: place, to: MapPoint(x: .nan, y: 0)) == nil)
    #expect(ViewRequest.Scale.zoom(ofSegment: 0, from: place, to: MapPoint(x: 9, y: 5)) == nil)
    // Closer and farther than the service has zooms.
    let near = MapPoint(x: 5.000001, y: 5)
    #expect(ViewRequest.Scale.zoom(ofSegment: 100, from: place, to: near) == .zoom(24))
    let far = MapPoint(x: 5, y: 2e8)
    #expect(ViewRequest.Scale.zoom(ofSegment: 10, from: place, to: far) == .zoom(0))
    // 100 points of a world of 256.
    let part = MapPoint(x: 5 + world / 2.56, y: 5)
    #expect(ViewRequest.Scale.zoom(ofSegment: 100, from: place, to: part) == .zoom(0))
  }
}
