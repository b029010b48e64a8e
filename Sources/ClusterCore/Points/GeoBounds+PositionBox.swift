extension GeoBounds {
  /// The bounds of features whose positions are in a box, right to 8.5e-8°.
  ///
  /// - Parameter polarLatitudes: calls its argument with the latitudes of those on the world's northern
  ///   and southern edges, which positions don't tell; called only if there are any.
  init(_ box: PositionBox, polarLatitudes: ((Double) -> Void) -> Void) {
    let degrees = StepDegrees.shared
    self.init(
      west: degrees.roundedLongitude(box.minX), south: degrees.roundedLatitude(box.maxY),
      east: degrees.roundedLongitude(box.maxX), north: degrees.roundedLatitude(box.minY))
    guard box.isPolar else { return }
    var (low, high) = (Double.infinity, -Double.infinity)
    polarLatitudes { (low, high) = (min(low, $0), max(high, $0)) }
    if box.minY == 0 || box.minY == .max { north = high }
    if box.maxY == .max || box.maxY == 0 { south = low }
  }

  /// Bounds that hold also what is rounded away from these.
  var widened: GeoBounds {
    GeoBounds(
      west: max(west - 1e-7, -180), south: max(south - 1e-7, -90),
      east: min(east + 1e-7, Double(180).nextDown), north: min(north + 1e-7, 90))
  }
}
