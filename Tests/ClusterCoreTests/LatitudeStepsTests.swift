import TestSupport
import Testing

@testable import ClusterCore

/// The steps of latitudes by polynomials beside those of the projection.
@Suite(.timeLimit(.minutes(5))) struct LatitudeStepsTests {
  private static func expect(_ latitude: Double, sourceLocation: SourceLocation = #_sourceLocation)
  {
    let expected = Position(
      WebMercator.project(Coordinate(latitude: latitude, longitude: 0))
    ).y
    if LatitudeSteps.shared.step(of: latitude) != expected {
      Issue.record(
        "\(latitude): \(LatitudeSteps.shared.step(of: latitude)), not \(expected)",
        sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: Seeds.each(1...4))
  func `random latitudes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300_000 { Self.expect(generator.double(-90...90)) }
    // As people write them.
    for _ in 0..<100_000 { Self.expect((generator.double(-90...90) * 1e5).rounded() / 1e5) }
  }

  @Test(arguments: Seeds.each(11...14))
  func `latitudes at edges of steps`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100_000 {
      let step = Double(generator.int(0...Int(UInt32.max)))
      let edge = WebMercator.latitude(y: step / Position.stepsPerMapPoint)
      for latitude in [edge, edge.nextUp, edge.nextDown, edge + 1e-12, edge - 1e-12] {
        Self.expect(latitude)
      }
    }
  }

  @Test func `the ends of intervals, of the projection and of the globe`() {
    let most = WebMercator.maximumLatitude
    var latitudes = [0, -0.0, most, 90, 89.9, most + 1e-9, .leastNonzeroMagnitude]
    latitudes += (0...512).map { Double($0) / 512 * 2 * most - most }
    for latitude in latitudes.flatMap({ [$0, $0.nextUp, $0.nextDown, -$0] }) {
      Self.expect(min(max(latitude, -90), 90))
    }
    // The last steps, one after another.
    for step in [0, UInt32.max - 2000] {
      for offset in 0..<2000 {
        let y = (Double(step) + Double(offset) + 0.5) / Position.stepsPerMapPoint
        Self.expect(WebMercator.latitude(y: y))
      }
    }
  }
}
