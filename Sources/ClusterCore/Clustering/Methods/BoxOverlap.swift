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

/// Buckets a little larger than a box, so that what overlaps lies in neighbouring ones; the last of
/// a row or column takes what is left of the world, so that none is smaller.
struct BucketGrid {
  private let width: UInt32
  private let height: UInt32
  private let columns: Int
  private let rows: Int

  init(_ overlap: BoxOverlap) {
    (width, columns) = BucketGrid.divide(overlap.stepWidth)
    (height, rows) = BucketGrid.divide(overlap.stepHeight)
  }

  private static func divide(_ steps: Double) -> (size: UInt32, count: Int) {
    // Two steps more, for positions are that much off at most.
    let size = UInt32(min(steps.rounded(.up) + 2, Double(UInt32.max)))
    return (size, max(1, PeriodicSteps.world / Int(size)))
  }

  /// The bucket of a position.
  @inline(__always)
  func bucket(of position: Position) -> UInt64 {
    let (column, row) = place(of: position)
    return UInt64(truncatingIfNeeded: row &* columns &+ column)
  }

  @inline(__always)
  private func place(of position: Position) -> (column: Int, row: Int) {
    (min(Int(position.x / width), columns &- 1), min(Int(position.y / height), rows &- 1))
  }

  /// The buckets around a position, itself and up to eight neighbours, each once.
  func neighbourhood(of position: Position) -> [UInt64] {
    let (column, row) = place(of: position)
    var around: [Int] = [column]
    for next in [(column + 1) % columns, (column + columns - 1) % columns]
    where !around.contains(next) { around.append(next) }
    return (max(0, row - 1)...min(rows - 1, row + 1)).flatMap { row in
      around.map { UInt64(row * columns + $0) }
    }
  }
}
