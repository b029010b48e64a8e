/// The bounds and the mean of coordinates on the shortest arc of longitudes that holds them, which
/// may cross the antimeridian. Longitude 180 counts as −180.
struct CircularExtent: Equatable {
  /// Degrees; west is greater than east where the bounds cross the antimeridian.
  var bounds: GeoBounds
  /// With seven decimals, never outside of the bounds; longitude within [−180, 180).
  var mean: Coordinate

  /// - Parameters:
  ///   - sum: of at least one feature.
  ///   - polarLatitudes: see ``GeoBounds/init(_:polarLatitudes:)``.
  ///   - longitudes: calls its argument with each feature's longitude as ``StepDegrees`` rounds it. It is called up to
  ///     three times, and only if the features are more than half the world apart.
  init(
    _ sum: PointSum, polarLatitudes: ((Double) -> Void) -> Void,
    longitudes: ((Double) -> Void) -> Void
  ) {
    bounds = GeoBounds(sum.box, polarLatitudes: polarLatitudes)
    mean = sum.mean(in: bounds)
    // The arc that doesn't cross is the shortest unless it leaves out less than half the circle.
    guard bounds.east - bounds.west > 180 else { return }
    let gap = LongitudeGap.widest(bounds, count: sum.count, longitudes)
    guard gap.east - gap.west > bounds.west + 360 - bounds.east else { return }
    var turned = 0
    longitudes { if $0 <= gap.west { turned += 1 } }
    (bounds.west, bounds.east) = (gap.east, gap.west)
    mean.longitude = CircularExtent.mean(sum, turned: turned, bounds)
  }

  /// - Parameter places: of each feature.
  init(_ sum: PointSum, of points: PointIndex, places: some Sequence<Int>) {
    let degrees = StepDegrees.shared
    self.init(
      sum,
      polarLatitudes: { body in
        for place in places where PositionBox(points.position(at: place)).isPolar {
          body(points.coordinate(at: place).latitude)
        }
      },
      longitudes: { body in
        for place in places { body(degrees.roundedLongitude(points.position(at: place).x)) }
      })
  }

  /// The mean with some longitudes, those west of the gap, a turn further east.
  private static func mean(_ sum: PointSum, turned: Int, _ bounds: GeoBounds) -> Double {
    let plain = StepDegrees.meanLongitude(sum: sum.longitudes, count: sum.count)
    let mean = plain + 360 * (Double(turned) / Double(sum.count))
    let unwrapped = min(max(PointSum.rounded(mean), bounds.west), bounds.east + 360)
    if unwrapped < 180 { return unwrapped }
    return min(max(PointSum.rounded(unwrapped - 360), -180), bounds.east)
  }
}
