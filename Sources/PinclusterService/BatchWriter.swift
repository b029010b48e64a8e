import ClusterCore
import Dispatch

/// Writes batches in order on a thread of its own, so that the next one is read meanwhile.
///
/// `@unchecked Sendable`: what it holds is touched on its queue, or by its owner while the queue is idle.
final class BatchWriter: @unchecked Sendable {
  typealias Counts = (inserted: Int, updated: Int)

  private let queue = DispatchQueue(label: "pincluster.import")
  private let write: (inout FeatureBatch) throws -> Counts
  private var counts: Counts = (0, 0)
  private var failure: (any Error)?
  /// The batch that was written last, to be filled again.
  private var empty = FeatureBatch()

  /// - Parameter write: called on the queue, or on none.
  init(_ write: @escaping (inout FeatureBatch) throws -> Counts) { self.write = write }

  /// Waits until the batch before is written and leaves an empty one in place of this one, which is
  /// written next. Throws why an earlier one wasn't.
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

  /// Waits until everything is written.
  func wait() { queue.sync {} }

  /// As above; what was written, or why it wasn't.
  func finish() throws -> Counts {
    wait()
    if let failure { throw failure }
    return counts
  }
}
