/// Divides a sequence into blocks.
enum BlockCuts {
  /// Returns the ends of blocks of at most `capacity` of `count` elements. Where there is a choice,
  /// a block ends at the largest jump along the curve, so that it covers a few large squares rather
  /// than many small ones. O(n).
  ///
  /// - Parameter key: returns the key of an element on the Z-order curve.
  static func ends(count: Int, capacity: Int, key: (Int) -> UInt64) -> [Int] {
    var ends: [Int] = []
    var start = 0
    while count - start > capacity {
      let last = min(start + capacity, count - capacity / 4)
      var best = (jump: UInt64(0), end: last)
      var before = key(start + capacity / 2 - 1)
      for end in start + capacity / 2...last {
        let after = key(end)
        if before ^ after > best.jump { best = (before ^ after, end) }
        before = after
      }
      ends.append(best.end)
      start = best.end
    }
    if start < count { ends.append(count) }
    return ends
  }
}
