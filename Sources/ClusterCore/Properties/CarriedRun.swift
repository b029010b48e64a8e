/// Features of a changed block, one after the other, that were so in a block before the change, too; or
/// are all new.
struct CarriedRun {
  /// Their places in the block.
  var offsets: Range<Int>
  /// The first one's place before the change; nil of new features.
  var origin: Int?

  /// The runs of a block.
  ///
  /// - Parameter origins: for each feature the place before the change, `FeatureEntry.isNew` of a new
  ///   one.
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
