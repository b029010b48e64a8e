/// Collects batches that arrive in id order, such as a store's at start-up, and builds one index.
public struct FeatureIndexBuilder {
  private var records = RecordArena()
  private var entries: GrowingArray<FeatureEntry>
  private let blockCapacity: Int

  /// A builder of an empty index, with room for as many features as are expected.
  public init(expecting count: Int = 0) {
    self.init(expecting: count, blockCapacity: PointIndex.maximumBlockCount)
  }

  /// As above, with at most some features a block, 4…``PointIndex/maximumBlockCount``.
  init(expecting count: Int, blockCapacity: Int) {
    entries = GrowingArray(capacity: count)
    self.blockCapacity = blockCapacity
  }

  /// Takes over the features of a batch. Their ids must follow those of earlier batches.
  public mutating func append(_ batch: FeatureBatch) throws(RecordArena.Full) {
    guard entries.count + batch.count <= FeatureIndex.maximumCount else {
      throw RecordArena.Full()
    }
    for index in 0..<batch.count {
      let reference = try batch.append(recordAt: index, to: &records)
      entries.append(FeatureEntry(reference, records[reference]))
    }
  }

  /// The index of everything so far.
  public func build() -> FeatureIndex {
    FeatureIndex(records: records, entriesByID: entries, blockCapacity: blockCapacity)
  }
}
