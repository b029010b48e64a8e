import ClusterCore

/// Takes the features of a collection, by id, on a thread of its own.
protocol RowConsumer: AnyObject, Sendable {
  func take(_ batch: FeatureBatch) throws
}

/// Makes an index of them.
///
/// `@unchecked Sendable`: one thread uses it at a time, and another only after that has ended.
final class IndexConsumer: RowConsumer, @unchecked Sendable {
  private var builder: FeatureIndexBuilder

  init(expecting count: Int) { builder = FeatureIndexBuilder(expecting: count) }

  func take(_ batch: FeatureBatch) throws { try builder.append(batch) }

  func index() -> FeatureIndex { builder.build() }
}

/// Puts them in index order, without keeping them in memory.
///
/// `@unchecked Sendable`: as above.
final class SortingConsumer: RowConsumer, @unchecked Sendable {
  private var sorter: IndexFileSorter
  private var failure: (any Error)?

  init(_ scratch: ScratchFile) { sorter = IndexFileSorter(scratch: scratch) }

  func take(_ batch: FeatureBatch) throws { try sorter.append(batch) }

  /// As ``take(_:)``; what goes wrong is told by ``finish(to:)``.
  func takeOrFail(_ batch: FeatureBatch) {
    if failure != nil { return }
    do { try sorter.append(batch) } catch { failure = error }
  }

  func finish(to sink: IndexFileSink) throws -> Int {
    if let failure { throw failure }
    return try sorter.finish(to: sink)
  }
}
