/// The rule of the collision method: the boxes of two features overlap if their map points are less than
/// a box's width apart in x, which is periodic, and less than its height apart in y.
struct BoxOverlap: ProximityRule {
  /// The size of a box in map points.
  let width: Double
  let height: Double
  /// The exact size of a box in steps of positions.
  let stepWidth: Double
  let stepHeight: Double

  init(width: Double, height: Double) {
    (self.width, self.height) = (width, height)
    stepWidth = width * Position.stepsPerMapPoint
    stepHeight = height * Position.stepsPerMapPoint
  }

  /// Whether boxes overlap if their centres are this many steps apart.
  @inline(__always)
  func holds(_ x: Int, _ y: Int) -> Bool { Double(x) < stepWidth && Double(y) < stepHeight }

  /// Whether two boxes overlap; nil if their positions are not exact enough to tell.
  @inline(__always)
  func overlaps(_ a: Position, _ b: Position) -> Bool? {
    let (x, y) = (PeriodicSteps.x(a.x, b.x), PeriodicSteps.y(a.y, b.y))
    if holds(x &+ 1, y &+ 1) { return true }
    return holds(x &- 1, y &- 1) ? nil : false
  }

  func overlaps(_ a: MapPoint, _ b: MapPoint) -> Bool {
    PeriodicSteps.exactX(a, b) < width && abs(a.y - b.y) < height
  }

  @inline(__always)
  func overlaps(_ a: Int, _ b: Int, in pointers: IndexPointers) -> Bool {
    if let known = overlaps(pointers.positions[a], pointers.positions[b]) { return known }
    return overlaps(
      WebMercator.project(pointers.coordinates[a]), WebMercator.project(pointers.coordinates[b]))
  }
}
