import Glibc
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

  // MARK: Batches

  /// Compares the positions of a batch, by vectors and without, with those of the projection.
  private static func expect(
    _ coordinates: some Collection<Coordinate>, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let untouched = Position(x: 7, y: 8)
    for vectors in Vectors.usable.map(Optional.some) + [nil] {
      var batch = CoordinateBatch(vectors: vectors)
      // Twice, as batches are used again.
      for _ in 0..<2 {
        for coordinate in coordinates { batch.append(coordinate) }
        let target = WritableArray<Position>(count: CoordinateBatch.capacity + 1)
        target.pointer.update(repeating: untouched, count: target.count)
        batch.takePositions(target.pointer)
        for (index, coordinate) in coordinates.enumerated() {
          let expected = Position(WebMercator.project(coordinate))
          #expect(
            target.pointer[index] == expected, "\(coordinate)", sourceLocation: sourceLocation)
        }
        #expect(
          (coordinates.count...CoordinateBatch.capacity).allSatisfy {
            target.pointer[$0] == untouched
          }, sourceLocation: sourceLocation)
      }
    }
  }

  @Test(arguments: Seeds.each(21...24))
  func `batches of each size, near each other and far`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<400 {
      let count = round <= 64 ? round : generator.int(0...64)
      let span = pow(2, generator.double(-24...0))
      let center = Coordinate(
        latitude: generator.double(-90...90), longitude: generator.double(-180...180))
      Self.expect(
        (0..<count).map { _ in
          Coordinate(
            latitude: min(max(center.latitude + generator.double(-90...90) * span, -90), 90),
            longitude: min(max(center.longitude + generator.double(-180...180) * span, -180), 180))
        })
    }
  }

  @Test(arguments: Seeds.each(31...32))
  func `batches at edges`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let most = WebMercator.maximumLatitude
    var latitudes = [0, -0.0, 90, most, most.nextUp, most.nextDown, .leastNonzeroMagnitude]
    latitudes += (0...512).map { Double($0) / 512 * 2 * most - most }
    var longitudes = [0, -0.0, 180, 180.0.nextDown, .leastNonzeroMagnitude]
    for _ in 0..<2000 {
      let step = Double(generator.int(0...Int(UInt32.max))) / Position.stepsPerMapPoint
      latitudes.append(WebMercator.latitude(y: step))
      longitudes.append(WebMercator.longitude(x: step))
    }
    func beside(_ values: [Double], within limit: Double) -> [Double] {
      values.flatMap { [$0, $0.nextUp, $0.nextDown, -$0] }.filter { $0.magnitude <= limit }
    }
    let (rows, columns) = (beside(latitudes, within: 90), beside(longitudes, within: 180))
    let all = (0..<max(rows.count, columns.count)).map {
      Coordinate(latitude: rows[$0 % rows.count], longitude: columns[$0 % columns.count])
    }
    for start in stride(from: 0, to: all.count, by: 64) {
      Self.expect(all[start..<min(start + 64, all.count)])
    }
  }

  // MARK: Order

  @Test(arguments: Seeds.each(41...42))
  func `positions are in the order of their keys`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    func step(_ bits: Int) -> UInt32 {
      generator.chance(0.1)
        ? generator.pick([0, .max]) : UInt32(truncatingIfNeeded: generator.int(0...1 << bits))
    }
    for _ in 0..<100_000 {
      let bits = generator.int(0...32)
      let (a, b) = (Position(x: step(bits), y: step(bits)), Position(x: step(bits), y: step(bits)))
      #expect((a < b) == (a.zOrder < b.zOrder), "\(a), \(b)")
      #expect(a.difference(from: b).zOrder == a.zOrder ^ b.zOrder)
      #expect(!(a < a))
    }
  }
}
