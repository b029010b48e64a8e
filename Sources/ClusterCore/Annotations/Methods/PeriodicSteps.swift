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

extension PositionBox {
  /// The least distance in x of points in two boxes, in steps.
  @inline(__always)
  func leastX(to other: PositionBox) -> Int {
    let east = Int(other.minX) &- Int(maxX) &- 1
    let west = Int(minX) &- Int(other.maxX) &- 1
    let direct = max(east, west)
    if direct <= 0 { return 0 }
    // The distance around the world, between the outer edges.
    let extent = Int(max(maxX, other.maxX)) &+ 1 &- Int(min(minX, other.minX))
    return min(direct, PeriodicSteps.world &- extent)
  }

  /// The least distance in y of points in two boxes, in steps.
  @inline(__always)
  func leastY(to other: PositionBox) -> Int {
    max(0, Int(other.minY) &- Int(maxY) &- 1, Int(minY) &- Int(other.maxY) &- 1)
  }

  /// The greatest distance in x of points in two boxes, which may be the same, in steps.
  @inline(__always)
  func mostX(to other: PositionBox) -> Int {
    let half = PeriodicSteps.world / 2
    let far = max(Int(other.maxX) &- Int(minX), Int(maxX) &- Int(other.minX)) &+ 1
    if far <= half { return far }
    let near = max(Int(other.minX) &- Int(maxX), Int(minX) &- Int(other.maxX)) &- 1
    return near >= half ? PeriodicSteps.world &- near : half
  }

  /// The greatest distance in y of points in two boxes, which may be the same, in steps.
  @inline(__always)
  func mostY(to other: PositionBox) -> Int {
    max(Int(other.maxY) &- Int(minY), Int(maxY) &- Int(other.minY)) &+ 1
  }

  /// The longer side, in steps.
  @inline(__always)
  var side: UInt32 { max(maxX &- minX, maxY &- minY) }
}
