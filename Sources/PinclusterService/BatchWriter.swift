import ClusterCore
import Dispatch

/// Writes batches in order on a queue, while the caller reads the next one.
///
/// `@unchecked Sendable`: its state is used on the queue, or by the owner while the queue is idle.
final class BatchWriter: @unchecked Sendable {
  typealias Counts = (inserted: Int, updated: Int)

  private let queue = DispatchQueue(label: "pincluster.import")
  private let write: (inout FeatureBatch) throws -> Counts
  private var counts: Counts = (0, 0)
  private var failure: (any Error)?
  /// The batch that was written last, to be reused.
  private var empty = FeatureBatch()

  /// Creates a writer.
  ///
  /// - Parameter write: called on the queue.
  init(_ write: @escaping (inout FeatureBatch) throws -> Counts) { self.write = write }

  /// Waits until the previous batch is written, replaces `batch` by an empty one and begins to write it.
  /// Throws the failure of an earlier batch.
  func put(_ batch: inout FeatureBatch) throws {
    wait()
    if let failure { throw failure }
    swap(&batch, &empty)
    batch.removeAll()
    queue.async { [self] in
      do {
        let (inserted, updated) = try write(&empty)
        counts.inserted += inserted
        counts.updated += updated
      } catch { failure = error }
    }
  }

  /// Waits until every batch is written.
  func wait() { queue.sync {} }

  /// Waits until every batch is written and returns the counts. Throws the failure of a batch.
  func finish() throws -> Counts {
    wait()
    if let failure { throw failure }
    return counts
  }
}
