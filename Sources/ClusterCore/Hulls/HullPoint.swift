import Glibc

/// A position on a plane that begins at some meridian, so that features on both sides of the antimeridian
/// are side by side: x goes on beyond the world.
struct HullPoint: Equatable, BitwiseCopyable {
  /// In steps, below 2^33.
  var x: Int
  var y: Int

  /// The steps around the world.
  static let world = 1 << 32

  init(x: Int, y: Int) { (self.x, self.y) = (x, y) }

  /// - Parameter cut: the x west of which positions are moved once around the world; 0 for none.
  @inline(__always)
  init(_ position: Position, cut: UInt32) {
    x = Int(position.x) &+ (position.x < cut ? HullPoint.world : 0)
    y = Int(position.y)
  }

  /// Whether it is moved once around the world.
  var isTurned: Bool { x >= HullPoint.world }

  /// The position in the world.
  var position: Position { Position(x: UInt32(truncatingIfNeeded: x), y: UInt32(y)) }

  /// Orders points by x, then by y.
  @inline(__always)
  static func precedes(_ a: HullPoint, _ b: HullPoint) -> Bool {
    a.x != b.x ? a.x < b.x : a.y < b.y
  }

  /// Returns a positive number if `c` is on one side of the way from `a` to `b`, namely that of greater y
  /// if the way leads to greater x, a negative one on the other side, and 0 on the line. Exact.
  @inline(__always)
  static func side(_ a: HullPoint, _ b: HullPoint, _ c: HullPoint) -> Double {
    Orientation.sign(
      Double(a.x), Double(a.y), Double(b.x), Double(b.y), Double(c.x), Double(c.y))
  }
}

/// A closed rectangle of points.
struct HullBox: BitwiseCopyable {
  var minX: Int
  var minY: Int
  var maxX: Int
  var maxY: Int

  /// - Parameter cut: as in ``HullPoint``.
  @inline(__always)
  init(_ box: PositionBox, cut: UInt32) {
    (minY, maxY) = (Int(box.minY), Int(box.maxY))
    (minX, maxX) = (Int(box.minX), Int(box.maxX))
    if box.maxX < cut {
      (minX, maxX) = (minX &+ HullPoint.world, maxX &+ HullPoint.world)
    } else if box.minX < cut {
      // On both sides of the cut.
      (minX, maxX) = (Int(cut), Int(cut) &+ HullPoint.world &- 1)
    }
  }
}

/// A direction on the plane, in which the outermost features are looked for.
struct HullDirection {
  let x: Double
  let y: Double

  /// A few directions all around, more for more features.
  static func few(for count: Int) -> [HullDirection] {
    count > 4096 ? many : count > 256 ? some : []
  }

  private static let many = around(32)
  private static let some = around(8)

  private static func around(_ count: Int) -> [HullDirection] {
    (0..<count).map { number in
      let angle = 2 * .pi * (Double(number) + 0.5) / Double(count)
      return HullDirection(x: cos(angle), y: sin(angle))
    }
  }

  /// How far a point is in the direction.
  @inline(__always)
  func reach(of point: HullPoint) -> Double { x * Double(point.x) + y * Double(point.y) }

  /// How far the points of a box may be in the direction.
  @inline(__always)
  func reach(of box: HullBox) -> Double {
    x * Double(x > 0 ? box.maxX : box.minX) + y * Double(y > 0 ? box.maxY : box.minY)
  }
}
