/// A closed rectangle of positions.
struct PositionBox: BitwiseCopyable, Equatable {
  var minX: UInt32
  var minY: UInt32
  var maxX: UInt32
  var maxY: UInt32

  /// The box of no positions: the neutral element of ``formUnion(_:)``.
  static let empty = PositionBox(minX: .max, minY: .max, maxX: 0, maxY: 0)

  @inline(__always)
  mutating func formUnion(_ other: PositionBox) {
    minX = min(minX, other.minX)
    minY = min(minY, other.minY)
    maxX = max(maxX, other.maxX)
    maxY = max(maxY, other.maxY)
  }

  /// Whether the box reaches the world's northern or southern edge. Features beyond the projection
  /// are moved there, so their positions don't determine their latitudes.
  @inline(__always)
  var isPolar: Bool { minY == 0 || maxY == .max }

  /// Whether the box lies in one location.
  @inline(__always)
  var isOneLocation: Bool { minX >> 9 == maxX >> 9 && minY >> 9 == maxY >> 9 }

  /// Returns a lower bound of the squared distance in map points between `target` and the box's
  /// points. It never exceeds the computed distance of a point, because floating-point subtraction
  /// and multiplication are monotone.
  func squaredDistance(to target: MapPoint) -> Double {
    let step = Position.stepsPerMapPoint
    let dx = max(0, Double(minX) / step - target.x, target.x - (Double(maxX) + 1) / step)
    let dy = max(0, Double(minY) / step - target.y, target.y - (Double(maxY) + 1) / step)
    return dx * dx + dy * dy
  }
}

extension PositionBox {
  @inline(__always)
  init(_ position: Position) {
    self.init(minX: position.x, minY: position.y, maxX: position.x, maxY: position.y)
  }
}

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
