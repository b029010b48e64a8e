/// Places of a changed index, one after the other, whose features were one after the other before
/// the change, too; or are all new.
struct CarriedRun {
  var places: Range<Int>
  /// The first one's place before the change; nil of new features.
  var origin: Int?

  /// The runs of an index.
  ///
  /// - Parameter origins: for each place the place before the change, `FeatureIndex.Entry.isNew` of a
  ///   new feature.
  static func runs(_ origins: FixedArray<UInt32>) -> [CarriedRun] {
    var runs: [CarriedRun] = []
    var start = 0
    while start < origins.count {
      let origin = origins.pointer[start]
      let isNew = origin == FeatureIndex.Entry.isNew
      var end = start + 1
      while end < origins.count,
        origins.pointer[end] == (isNew ? origin : origin + UInt32(end - start))
      {
        end += 1
      }
      runs.append(CarriedRun(places: start..<end, origin: isNew ? nil : Int(origin)))
      start = end
    }
    return runs
  }
}
