/// The rule of the distance method: two features are linked when their map points are no further
/// apart than a radius, x modulo the world.
struct LinkDistance: Nearness {
  /// Squared, in map points.
  let squaredRadius: Double
  /// Squared, in steps of positions: exactly the same number but for a power of two, so that both
  /// give the same answers.
  private let squaredSteps: Double

  init(radius: Double) {
    squaredRadius = radius * radius
    squaredSteps = squaredRadius * (Position.stepsPerMapPoint * Position.stepsPerMapPoint)
  }

  /// Whether points that are this many steps apart are linked. Squares and sums round monotonically.
  @inline(__always)
  func holds(_ x: Int, _ y: Int) -> Bool {
    let (dx, dy) = (Double(x), Double(y))
    return dx * dx + dy * dy <= squaredSteps
  }

  /// Whether two points are linked, as far as their positions tell.
  @inline(__always)
  func links(_ a: Position, _ b: Position) -> Bool? {
    let (x, y) = (PeriodicSteps.x(a.x, b.x), PeriodicSteps.y(a.y, b.y))
    if !holds(max(0, x &- 1), max(0, y &- 1)) { return false }
    return holds(x &+ 1, y &+ 1) ? true : nil
  }

  /// Whether two points are linked.
  func links(_ a: MapPoint, _ b: MapPoint) -> Bool {
    let (dx, dy) = (PeriodicSteps.exactX(a, b), a.y - b.y)
    return dx * dx + dy * dy <= squaredRadius
  }
}
