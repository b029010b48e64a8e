/// The rule of the collision method: two features' boxes overlap when their map points are less than
/// a box's width apart in x, which is periodic, and less than its height in y.
struct BoxOverlap: Nearness {
  /// In map points.
  let width: Double
  let height: Double
  /// In steps of positions, exactly.
  let stepWidth: Double
  let stepHeight: Double

  init(width: Double, height: Double) {
    (self.width, self.height) = (width, height)
    stepWidth = width * Position.stepsPerMapPoint
    stepHeight = height * Position.stepsPerMapPoint
  }

  /// Whether boxes overlap whose centres are this many steps apart.
  @inline(__always)
  func holds(_ x: Int, _ y: Int) -> Bool { Double(x) < stepWidth && Double(y) < stepHeight }

  /// Whether two boxes overlap, as far as their positions tell.
  @inline(__always)
  func overlaps(_ a: Position, _ b: Position) -> Bool? {
    let (x, y) = (PeriodicSteps.x(a.x, b.x), PeriodicSteps.y(a.y, b.y))
    if holds(x &+ 1, y &+ 1) { return true }
    return holds(x &- 1, y &- 1) ? nil : false
  }

  /// Whether two boxes overlap.
  func overlaps(_ a: MapPoint, _ b: MapPoint) -> Bool {
    PeriodicSteps.exactX(a, b) < width && abs(a.y - b.y) < height
  }

  /// Whether the boxes of the features at two places overlap.
  @inline(__always)
  func overlaps(_ a: Int, _ b: Int, in view: IndexPointers) -> Bool {
    if let known = overlaps(view.positions[a], view.positions[b]) { return known }
    return overlaps(
      WebMercator.project(view.coordinates[a]), WebMercator.project(view.coordinates[b]))
  }
}
