extension PositionBox {
  /// At least this far are points of two boxes apart in x.
  @inline(__always)
  func leastX(to other: PositionBox) -> Int {
    let east = Int(other.minX) &- Int(maxX) &- 1
    let west = Int(minX) &- Int(other.maxX) &- 1
    let direct = max(east, west)
    if direct <= 0 { return 0 }
    // The way round: from the outer edge of the one on to that of the other.
    let extent = Int(max(maxX, other.maxX)) &+ 1 &- Int(min(minX, other.minX))
    return min(direct, PeriodicSteps.world &- extent)
  }

  @inline(__always)
  func leastY(to other: PositionBox) -> Int {
    max(0, Int(other.minY) &- Int(maxY) &- 1, Int(minY) &- Int(other.maxY) &- 1)
  }

  /// At most this far are points of two boxes, or of one, apart in x.
  @inline(__always)
  func mostX(to other: PositionBox) -> Int {
    let half = PeriodicSteps.world / 2
    let far = max(Int(other.maxX) &- Int(minX), Int(maxX) &- Int(other.minX)) &+ 1
    if far <= half { return far }
    let near = max(Int(other.minX) &- Int(maxX), Int(minX) &- Int(other.maxX)) &- 1
    return near >= half ? PeriodicSteps.world &- near : half
  }

  @inline(__always)
  func mostY(to other: PositionBox) -> Int {
    max(Int(other.maxY) &- Int(minY), Int(maxY) &- Int(other.minY)) &+ 1
  }

  /// The longer side, in steps.
  @inline(__always)
  var side: UInt32 { max(maxX &- minX, maxY &- minY) }
}
