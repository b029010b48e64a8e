/// The bounds and mean of coordinates on the shortest arc of longitudes that holds them, which may cross
/// the antimeridian. Longitude 180 counts as −180.
struct CircularExtent: Equatable {
  /// The bounds in degrees. West is greater than east if they cross the antimeridian.
  var bounds: GeoBounds
  /// The mean, rounded to seven decimals and within the bounds; its longitude is in [−180, 180).
  var mean: Coordinate

  /// - Parameters:
  ///   - sum: The sum of at least one feature.
  ///   - polarLatitudes: See ``GeoBounds/init(_:polarLatitudes:)``.
  ///   - longitudes: Calls its argument with each feature's longitude as rounded by ``StepDegrees``. It is
  ///     called up to three times, and only if the features are more than half the world apart.
  init(
    _ sum: PointSum, polarLatitudes: ((Double) -> Void) -> Void,
    longitudes: ((Double) -> Void) -> Void
  ) {
    bounds = GeoBounds(sum.box, polarLatitudes: polarLatitudes)
    mean = sum.mean(in: bounds)
    // The arc that doesn't cross the antimeridian is the shortest unless it exceeds half the circle.
    guard bounds.east - bounds.west > 180 else { return }
    let gap = LongitudeGap.widest(bounds, count: sum.count, longitudes)
    guard gap.east - gap.west > bounds.west + 360 - bounds.east else { return }
    var turned = 0
    longitudes { if $0 <= gap.west { turned += 1 } }
    (bounds.west, bounds.east) = (gap.east, gap.west)
    mean.longitude = CircularExtent.mean(sum, turned: turned, bounds)
  }

  init(_ sum: PointSum, of points: PointIndex, ordinals: some Sequence<Int>) {
    let degrees = StepDegrees.shared
    self.init(
      sum,
      polarLatitudes: { body in
        for ordinal in ordinals where PositionBox(points.position(at: ordinal)).isPolar {
          body(points.coordinate(at: ordinal).latitude)
        }
      },
      longitudes: { body in
        for ordinal in ordinals { body(degrees.roundedLongitude(points.position(at: ordinal).x)) }
      })
  }

  /// The mean if `turned` longitudes, those west of the gap, are moved eastwards by 360°.
  private static func mean(_ sum: PointSum, turned: Int, _ bounds: GeoBounds) -> Double {
    let plain = StepDegrees.meanLongitude(sum: sum.longitudes, count: sum.count)
    let mean = plain + 360 * (Double(turned) / Double(sum.count))
    let unwrapped = min(max(PointSum.rounded(mean), bounds.west), bounds.east + 360)
    if unwrapped < 180 { return unwrapped }
    return min(max(PointSum.rounded(unwrapped - 360), -180), bounds.east)
  }
}
