/// Distances between positions along the axes, in steps, of which the world has 2^32; x is periodic. A
/// position stands for any map point in the closed square of a step, so there is a lower and an upper
/// bound for each distance.
///
/// The bounds also hold for distances computed from map points, because subtraction rounds monotonically
/// and the bounds are exact.
enum PeriodicSteps {
  static let world = 1 << 32

  @inline(__always)
  static func x(_ a: UInt32, _ b: UInt32) -> Int {
    Int(Int32(bitPattern: a &- b).magnitude)
  }

  @inline(__always)
  static func y(_ a: UInt32, _ b: UInt32) -> Int { abs(Int(a) &- Int(b)) }

  @inline(__always)
  static func exactX(_ a: MapPoint, _ b: MapPoint) -> Double {
    let direct = abs(a.x - b.x)
    return min(direct, WebMercator.worldSize - direct)
  }
}
