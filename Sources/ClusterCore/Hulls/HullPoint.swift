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
