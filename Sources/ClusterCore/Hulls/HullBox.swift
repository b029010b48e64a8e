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
