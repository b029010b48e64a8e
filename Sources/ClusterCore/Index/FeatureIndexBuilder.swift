/// Builds an index from batches in id order, such as those that a store reads at start-up.
public struct FeatureIndexBuilder {
  private var records = RecordArena()
  private var entries: GrowingArray<FeatureEntry>
  private let blockCapacity: Int

  /// Creates a builder with room for `count` features.
  public init(expecting count: Int = 0) {
    self.init(expecting: count, blockCapacity: PointIndex.maximumBlockCount)
  }

  /// Creates a builder of an index with blocks of at most `blockCapacity` features,
  /// 4…``PointIndex/maximumBlockCount``.
  init(expecting count: Int, blockCapacity: Int) {
    entries = GrowingArray(capacity: count)
    self.blockCapacity = blockCapacity
  }

  /// Appends the features of a batch. Their ids must follow those of earlier batches.
  public mutating func append(_ batch: FeatureBatch) throws(RecordArena.Full) {
    guard entries.count + batch.count <= FeatureIndex.maximumCount else {
      throw RecordArena.Full()
    }
    for index in 0..<batch.count {
      let reference = try batch.append(recordAt: index, to: &records)
      entries.append(FeatureEntry(reference, records[reference]))
    }
  }

  /// Returns the index of all features so far.
  public func build() -> FeatureIndex {
    FeatureIndex(records: records, entriesByID: entries, blockCapacity: blockCapacity)
  }

  /// Whether there is memory for loading some features, beside their records.
  public static func canLoad(_ count: Int) -> Bool {
    // Entries, their order before and after changes, and the index itself.
    let bytesPerFeature = 96
    return count <= FeatureIndex.maximumCount
      && LargeMemory.isAvailable(byteCount: count * bytesPerFeature)
  }
}
