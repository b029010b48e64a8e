/// An interval of longitudes without any of some features.
struct LongitudeGap {
  var west: Double
  var east: Double

  /// The widest gap between neighbours, other than the one across the antimeridian; the westernmost of
  /// several.
  ///
  /// With as many buckets as features, a gap at least as wide as the mean gap reaches from one bucket to
  /// another, so only the outermost longitudes of each bucket matter. Because most gaps are wide, a few
  /// buckets are tried first.
  ///
  /// - Complexity: O(n) in the features.
  static func widest(
    _ bounds: GeoBounds, count: Int, _ longitudes: ((Double) -> Void) -> Void
  ) -> LongitudeGap {
    let most = max(count, 2)
    let few = min(most, 1 << 12)
    let (found, bucketWidth) = widest(bounds, buckets: few, longitudes)
    if found.east - found.west > bucketWidth * 1.001 || few == most { return found }
    return widest(bounds, buckets: most, longitudes).gap
  }

  private static func widest(
    _ bounds: GeoBounds, buckets: Int, _ longitudes: ((Double) -> Void) -> Void
  ) -> (gap: LongitudeGap, bucketWidth: Double) {
    let width = (bounds.east - bounds.west) / Double(buckets)
    // The westernmost and the easternmost longitude of each bucket.
    var ends = [(west: Double, east: Double)](
      repeating: (.infinity, -.infinity), count: buckets)
    ends.withUnsafeMutableBufferPointer { ends in
      longitudes { longitude in
        let bucket = min(max(Int((longitude - bounds.west) / width), 0), buckets - 1)
        ends[bucket].west = min(ends[bucket].west, longitude)
        ends[bucket].east = max(ends[bucket].east, longitude)
      }
    }
    var gap = LongitudeGap(west: bounds.west, east: bounds.west)
    var last = bounds.west
    for end in ends where end.west <= end.east {
      if end.west - last > gap.east - gap.west { gap = LongitudeGap(west: last, east: end.west) }
      last = end.east
    }
    return (gap, width)
  }
}
