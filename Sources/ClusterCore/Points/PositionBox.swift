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
