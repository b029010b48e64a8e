/// Consecutive features of a new block that were consecutive in an old block or are all new.
struct CarriedRun {
  /// Their offsets in the block.
  var offsets: Range<Int>
  /// The old ordinal of the first feature; nil if they are new.
  var origin: Int?

  /// Returns the runs of a block.
  ///
  /// - Parameter origins: the old ordinal of each feature, or ``FeatureEntry/isNew``.
  static func runs(_ origins: [UInt32]) -> [CarriedRun] {
    var runs: [CarriedRun] = []
    var start = 0
    while start < origins.count {
      let origin = origins[start]
      let isNew = origin == FeatureEntry.isNew
      var end = start + 1
      while end < origins.count,
        isNew
          ? origins[end] == origin
          : origins[end] == origin + UInt32(end - start)
            && !PointIndex.beginsBlock(Int(origins[end]))
      {
        end += 1
      }
      runs.append(CarriedRun(offsets: start..<end, origin: isNew ? nil : Int(origin)))
      start = end
    }
    return runs
  }
}
