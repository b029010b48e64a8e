import TestSupport
import Testing

@testable import ClusterCore

/// Degrees of steps beside the projection itself.
@Suite(.timeLimit(.minutes(5))) struct StepDegreesTests {
  private let degrees = StepDegrees.shared

  private func coordinates(_ generator: inout SeededGenerator) -> [Coordinate] {
    let edges: [Double] = [-85.0511287, -85, -45, -1e-7, 0, 1e-7, 45, 66.5, 85, 85.0511287]
    return edges.map { Coordinate(latitude: $0, longitude: $0 * 2) }
      + (0..<200_000).map { _ in
        Coordinate(
          latitude: generator.double(-85.05...85.05), longitude: generator.double(-180...180))
      }
  }

  @Test func `steps are near everything in them`() {
    var generator = SeededGenerator(seed: 11)
    var furthest = (latitude: 0.0, rounded: 0.0, longitude: 0.0)
    for coordinate in coordinates(&generator) {
      let position = Position(coordinate)
      let latitude = FixedDegrees.mean(sum: degrees.latitude(position.y), count: 1)
      let longitude = coordinate.foldedLongitude
      furthest.latitude = max(furthest.latitude, (latitude - coordinate.latitude).magnitude)
      furthest.rounded = max(
        furthest.rounded, (degrees.roundedLatitude(position.y) - coordinate.latitude).magnitude)
      for near in [StepDegrees.longitude(position.x), degrees.roundedLongitude(position.x)] {
        furthest.longitude = max(furthest.longitude, (near - longitude).magnitude)
      }
    }
    // Half a step is 4.2e-8 degrees; a decimal in it may lie at its other end.
    #expect(furthest.latitude < 4.8e-8)
    #expect(furthest.rounded < 8.4e-8)
    #expect(furthest.longitude < 8.4e-8)
  }

  @Test func `coordinates with seven decimals come back bit for bit`() {
    var generator = SeededGenerator(seed: 12)
    for coordinate in coordinates(&generator) {
      let decimals = Coordinate(
        latitude: (coordinate.latitude * 1e7).rounded() / 1e7,
        longitude: (coordinate.foldedLongitude * 1e7).rounded() / 1e7)
      guard decimals.latitude.magnitude < WebMercator.maximumLatitude else { continue }
      let position = Position(decimals)
      #expect(degrees.roundedLatitude(position.y) == decimals.latitude)
      #expect(degrees.roundedLongitude(position.x) == decimals.foldedLongitude)
    }
  }

  @Test func `rounded degrees never go back`() {
    let starts: [UInt32] = [0, (1 << 20) - 50, (1 << 31) - 50, 3 << 30, .max - 100]
    for start in starts {
      for step in start..<start + 100 {
        #expect(degrees.roundedLongitude(step) <= degrees.roundedLongitude(step + 1))
        #expect(degrees.roundedLatitude(step) >= degrees.roundedLatitude(step + 1))
        #expect(degrees.latitude(step) >= degrees.latitude(step + 1) - 2)
      }
    }
  }
}
