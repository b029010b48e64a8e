/// An interval of longitudes that holds none of some features.
struct LongitudeGap {
  var west: Double
  var east: Double

  /// The widest one between neighbours, not counting the one over the antimeridian; the westernmost
  /// of several.
  ///
  /// A gap as wide as the mean gap or wider reaches from one bucket to a later one, if there are as
  /// many buckets as features: then only the outermost longitudes of each bucket matter. O(n). A
  /// few buckets are tried first, for most gaps are wide.
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
    // The westernmost and the easternmost longitude of each.
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
