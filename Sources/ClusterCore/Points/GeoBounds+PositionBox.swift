extension GeoBounds {
  /// Creates the bounds of features from the box of their positions, accurate to 8.5e-8°.
  ///
  /// - Parameter polarLatitudes: calls its argument with the latitude of each feature on the
  ///   world's northern and southern edges, because positions don't determine it. Called only if
  ///   there are any.
  init(_ box: PositionBox, polarLatitudes: ((Double) -> Void) -> Void) {
    self.init(within: box)
    guard box.isPolar else { return }
    var (low, high) = (Double.infinity, -Double.infinity)
    polarLatitudes { (low, high) = (min(low, $0), max(high, $0)) }
    if box.minY == 0 || box.minY == .max { north = high }
    if box.maxY == .max || box.maxY == 0 { south = low }
  }

  /// Creates the bounds of features from the box of their positions, which isn't polar.
  init(within box: PositionBox) {
    let degrees = StepDegrees.shared
    self.init(
      west: degrees.roundedLongitude(box.minX), south: degrees.roundedLatitude(box.maxY),
      east: degrees.roundedLongitude(box.maxX), north: degrees.roundedLatitude(box.minY))
  }

  /// The bounds extended by the rounding error.
  var widened: GeoBounds {
    GeoBounds(
      west: max(west - 1e-7, -180), south: max(south - 1e-7, -90),
      east: min(east + 1e-7, Double(180).nextDown), north: min(north + 1e-7, 90))
  }
}

extension PositionBox {
  /// Creates the box of the positions of bounds' corners. Those of several features are accurate to a step.
  init(around bounds: GeoBounds) {
    let first = Position(Coordinate(latitude: bounds.north, longitude: bounds.west))
    let last = Position(Coordinate(latitude: bounds.south, longitude: bounds.east))
    self.init(minX: first.x, minY: first.y, maxX: last.x, maxY: last.y)
  }
}
