import ClusterCore
import Dispatch
import Threading

/// Reads all rows of a collection: the calling thread reads them, another one checks them and hands the
/// features to a consumer.
struct RowLoader {
  /// Batches of rows on their way to the consumer's thread, and back to be filled again.
  private final class Pipeline: Sendable {
    /// Rows to be consumed; nil after the last ones.
    let full = Locked<[ReadRows?]>([])
    /// Batches that were consumed.
    let empty = Locked<[ReadRows]>([])
    let arrivals = DispatchSemaphore(value: 0)
    /// Counts the batches that may still be filled.
    let room = DispatchSemaphore(value: 0)
    /// The first error of the consumer's thread.
    let failure = Locked<(any Error)?>(nil)

    init(batches: Int) {
      // A semaphore must not end below the value that it began with.
      for _ in 0..<batches { room.signal() }
    }

    func put(_ rows: ReadRows?) {
      full.withLock { $0.append(rows) }
      arrivals.signal()
    }

    func take() -> ReadRows? {
      arrivals.wait()
      return full.withLock { $0.removeFirst() }
    }
  }

  let connection: Connection
  let features: FeatureTable
  let info: CollectionInfo
  /// The time by which features have expired, in milliseconds since 1970 (UTC).
  let now: Int64
  var batchSize = 8192

  /// Hands over all features that haven't expired, in the order of their ids. The consumer runs on
  /// another thread, one call at a time and none after this returns.
  ///
  /// Throws ``StoreError/damaged(path:reason:)`` if a row isn't one that the store wrote or if the rows
  /// aren't as many as `info` says, and whatever the consumer throws.
  ///
  /// - Returns: the number of features that have expired.
  func load(into consumer: @escaping @Sendable (FeatureBatch) throws -> Void) throws -> Int {
    let reader = try RowReader(
      connection, allOf: info.key, hasChecksums: info.hasChecksums, now: now)
    let pipeline = Pipeline(batches: 3)
    let (key, path) = (info.key, connection.path)
    let queue = DispatchQueue(label: "pincluster.load")
    queue.async { RowLoader.consume(pipeline, RowChecker(key, path: path), consumer) }
    let read = Result { () throws(StoreError) in try self.read(reader, pipeline) }
    pipeline.put(nil)
    queue.sync {}
    let total = try read.get()
    if let failure = pipeline.failure.withLock({ $0 }) { throw failure }
    guard total == info.featureCount else {
      throw StoreError.damaged(
        path: path, reason: "a collection of \(info.featureCount) features has \(total) rows")
    }
    // Expired rows are found by the index of expiries: it must know every one.
    guard try features.countExpiring(in: key) == reader.expiring else {
      throw StoreError.damaged(
        path: path, reason: "the index of expiries isn't that of the features")
    }
    return reader.expired
  }

  /// Reads all rows into the pipeline; returns their number.
  private func read(_ reader: RowReader, _ pipeline: Pipeline) throws(StoreError) -> Int {
    var total = 0
    while true {
      pipeline.room.wait()
      var rows = pipeline.empty.withLock { $0.popLast() } ?? ReadRows()
      guard try reader.fill(&rows, upTo: batchSize) else { return total }
      total += rows.count
      pipeline.put(rows)
    }
  }

  private static func consume(
    _ pipeline: Pipeline, _ checker: RowChecker, _ consumer: (FeatureBatch) throws -> Void
  ) {
    var hasFailed = false
    while var rows = pipeline.take() {
      if !hasFailed {
        do {
          try checker.check(rows)
          if !rows.living.batch.isEmpty { try consumer(rows.living.batch) }
        } catch {
          hasFailed = true
          pipeline.failure.withLock { $0 = error }
        }
      }
      rows.removeAll()
      pipeline.empty.withLock { [rows] in $0.append(rows) }
      pipeline.room.signal()
    }
  }
}
