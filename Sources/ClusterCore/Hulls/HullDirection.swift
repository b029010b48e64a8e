import Glibc

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
