/// Builds an index from batches in id order, such as those that a store reads at start-up.
public struct FeatureIndexBuilder {
  private var records = RecordArena()
  private var entries: GrowingArray<FeatureEntry>

  /// Creates a builder with room for `count` features.
  public init(expecting count: Int = 0) { entries = GrowingArray(capacity: count) }

  /// Appends the features of a batch. Their ids must follow those of earlier batches.
  ///
  /// - Throws: ``RecordArena/Full`` if there are too many features, or no memory for their records.
  /// - Complexity: O(bytes of the batch).
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
  ///
  /// - Complexity: O(n), as keys are sorted by digits.
  public func build() -> FeatureIndex {
    FeatureIndex(
      records: records, entriesByID: entries, blockCapacity: PointIndex.maximumBlockCount)
  }

  /// Calls `body`, which loads `count` features, with memory set aside for all but their records.
  /// Returns nil without calling it if there isn't that much.
  ///
  /// - Throws: the error of `body`.
  public static func withMemory<R, E>(
    for count: Int, _ body: () throws(E) -> R
  ) throws(E) -> R? {
    guard count <= FeatureIndex.maximumCount else { return nil }
    // Entries, their order before and after changes, and the index itself.
    return try LargeMemory.withReserve(count * 96, body)
  }
}
