/// A relation of two features that depends on their distances along the axes and that also holds for all
/// smaller distances.
protocol ProximityRule {
  /// Whether the relation holds for features that are this many steps apart.
  func holds(_ x: Int, _ y: Int) -> Bool
}

extension ProximityRule {
  /// Whether the relation holds for no two features in two boxes.
  @inline(__always)
  func separates(_ a: PositionBox, _ b: PositionBox) -> Bool {
    !holds(a.leastX(to: b), a.leastY(to: b))
  }

  /// Whether the relation holds for any two features in two boxes.
  @inline(__always)
  func joins(_ a: PositionBox, _ b: PositionBox) -> Bool {
    holds(a.mostX(to: b), a.mostY(to: b))
  }
}

/// The rule of the distance method: two features are linked if their map points are at most a radius
/// apart, where x is periodic.
struct LinkDistance: ProximityRule {
  /// The square of the radius in map points.
  let squaredRadius: Double
  /// The square of the radius in steps of positions. It differs by an exact power of two, so both give
  /// the same results.
  private let squaredSteps: Double

  init(radius: Double) {
    squaredRadius = radius * radius
    squaredSteps = squaredRadius * (Position.stepsPerMapPoint * Position.stepsPerMapPoint)
  }

  /// Whether points are linked if they are this many steps apart. Squares and sums round monotonically.
  @inline(__always)
  func holds(_ x: Int, _ y: Int) -> Bool {
    let (dx, dy) = (Double(x), Double(y))
    return dx * dx + dy * dy <= squaredSteps
  }

  /// Whether two points are linked; nil if their positions are not exact enough to tell.
  @inline(__always)
  func links(_ a: Position, _ b: Position) -> Bool? {
    let (x, y) = (PeriodicSteps.x(a.x, b.x), PeriodicSteps.y(a.y, b.y))
    if !holds(max(0, x &- 1), max(0, y &- 1)) { return false }
    return holds(x &+ 1, y &+ 1) ? true : nil
  }

  func links(_ a: MapPoint, _ b: MapPoint) -> Bool {
    let (dx, dy) = (PeriodicSteps.exactX(a, b), a.y - b.y)
    return dx * dx + dy * dy <= squaredRadius
  }
}

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
    if let known = overlaps(pointers.position(a), pointers.position(b)) { return known }
    return overlaps(
      WebMercator.project(pointers.coordinate(a)), WebMercator.project(pointers.coordinate(b)))
  }
}
