import ClusterCore
import Dispatch
import Threading

/// Reads all rows of a collection: the calling thread reads them, another one checks them and hands the
/// features to a consumer.
struct RowLoader {
  /// Rows on their way to the other thread, and back to be filled again.
  ///
  /// `@unchecked Sendable`: the queue and the semaphore hand it over.
  private final class Batch: @unchecked Sendable {
    var rows = ReadRows()
  }

  let connection: Connection
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
      connection, .all, of: info.key, hasChecksums: info.hasChecksums, now: now)
    let total = try read(reader, consumer)
    guard total == info.featureCount else {
      throw connection.damage("a collection of \(info.featureCount) features has \(total) rows")
    }
    // Expired rows are found by the index of expiries: it must know every one.
    guard try connection.countExpired(in: info.key) == reader.expiring else {
      throw connection.damage("the index of expiries isn't that of the features")
    }
    return reader.expired
  }

  /// Reads and consumes all rows; returns their number.
  private func read(
    _ reader: RowReader, _ consumer: @escaping @Sendable (FeatureBatch) throws -> Void
  ) throws -> Int {
    let batches = (0..<3).map { _ in Batch() }
    let queue = DispatchQueue(label: "pincluster.load")
    /// Counts the batches that may be filled. A semaphore must not end below the value that it began with.
    let room = DispatchSemaphore(value: 0)
    for _ in batches { room.signal() }
    // Only the queue touches it.
    nonisolated(unsafe) let checker = RowChecker(info.key, path: connection.path)
    let failure = Locked<(any Error)?>(nil)
    defer { queue.sync {} }
    var total = 0
    for number in 0... {
      room.wait()
      let batch = batches[number % batches.count]
      batch.rows.removeAll()
      guard try reader.fill(&batch.rows, upTo: batchSize) else { break }
      total += batch.rows.count
      queue.async {
        failure.withLock { failure in
          guard failure == nil else { return }
          do {
            try checker.check(batch.rows)
            if !batch.rows.living.batch.isEmpty { try consumer(batch.rows.living.batch) }
          } catch let error { failure = error }
        }
        room.signal()
      }
    }
    queue.sync {}
    if let failure = failure.withLock({ $0 }) { throw failure }
    return total
  }
}
