import ClusterCore

/// The order in which to write a batch: by id. O(n) for a batch that is in order, O(n log n) otherwise.
struct WriteOrder {
  /// The features that have an id, by id; of several with the same id only the last that came.
  private(set) var indices: [Int] = []
  /// The features that still need one, as they came.
  private(set) var unassigned: [Int] = []
  /// The number of features that are followed by another one with the same id.
  private(set) var overwritten = 0

  /// The order of nothing.
  init() {}

  init(_ records: FeatureBatch.Records) {
    func compare(_ a: Int, _ b: Int) -> Int {
      FeatureRecord.compare(records[a].rawID, records[b].rawID)
    }
    for index in 0..<records.count {
      if records[index].needsID { unassigned.append(index) } else { indices.append(index) }
    }
    if !zip(indices, indices.dropFirst()).allSatisfy({ compare($0, $1) < 0 }) {
      indices.sort { a, b in
        let order = compare(a, b)
        return order == 0 ? a < b : order < 0
      }
      let sorted = indices
      indices = sorted.indices.filter {
        $0 + 1 == sorted.count || compare(sorted[$0], sorted[$0 + 1]) != 0
      }.map { sorted[$0] }
      overwritten = sorted.count - indices.count
    }
  }
}
