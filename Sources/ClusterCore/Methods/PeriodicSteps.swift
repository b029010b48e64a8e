/// Distances along the axes between positions, in their steps, of which the world has 2^32: x is
/// periodic. A position stands for any map point in the closed square of a step, so a distance is
/// known up to a lower and an upper bound.
///
/// The bounds also hold for distances as they are computed from map points: subtraction rounds
/// monotonically, and the bounds are exact.
enum PeriodicSteps {
  static let world = 1 << 32

  /// The steps between two positions on the circle of x, apart from what lies within their steps.
  @inline(__always)
  static func x(_ a: UInt32, _ b: UInt32) -> Int {
    Int(Int32(bitPattern: a &- b).magnitude)
  }

  @inline(__always)
  static func y(_ a: UInt32, _ b: UInt32) -> Int { abs(Int(a) &- Int(b)) }

  /// The distance of two map points along x.
  @inline(__always)
  static func exactX(_ a: MapPoint, _ b: MapPoint) -> Double {
    let direct = abs(a.x - b.x)
    return min(direct, WebMercator.worldSize - direct)
  }
}
