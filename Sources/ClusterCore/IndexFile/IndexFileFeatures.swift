/// The features of an index file in their two orders.
struct IndexFileFeatures {
  /// In index order.
  var entries: WritableArray<FeatureEntry>
  /// By rank in the order of ids: the offset of the feature in `entries`.
  var order: WritableArray<UInt32>

  var count: Int { entries.count }

  /// Room for some features, all of which are to be set.
  init(count: Int) {
    entries = WritableArray(count: count)
    order = WritableArray(count: count)
  }

  /// Whether the order has the offset of every feature once. O(n).
  var isOrderComplete: Bool {
    let seen = WritableArray<UInt64>(count: count / 64 + 1)
    seen.pointer.update(repeating: 0, count: seen.count)
    for rank in 0..<count {
      let offset = Int(order.pointer[rank])
      guard offset < count else { return false }
      let bit: UInt64 = 1 << UInt64(offset & 63)
      guard seen.pointer[offset >> 6] & bit == 0 else { return false }
      seen.pointer[offset >> 6] |= bit
    }
    return true
  }

  /// The first feature by rank whose id isn't before another, from `start` on. O(log n).
  func rank(notBefore id: FeatureRecord.RawID, from start: Int, _ records: RecordArena) -> Int {
    (start..<count).partitionPoint {
      FeatureRecord.compare(records[reference(at: $0)].rawID, id) < 0
    }
  }

  /// The record of the feature with a rank.
  @inline(__always)
  func reference(at rank: Int) -> RecordReference {
    entries.pointer[Int(order.pointer[rank])].reference
  }
}
