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
