import Dispatch
import FeatureStore
import Synchronization
import Threading

/// A file that is being written on a thread of its own.
final class IndexFileJob: Sendable {
  let snapshot: CollectionSnapshot
  let draft: IndexFileDraft
  let outcome = Locked<Result<Void, any Error>?>(nil)
  let start = DispatchTime.now()
  /// When to give up, as `DispatchTime` counts.
  private let deadline = Atomic<UInt64>(.max)
  private let end = DispatchSemaphore(value: 0)

  init(_ snapshot: CollectionSnapshot, _ draft: IndexFileDraft) {
    (self.snapshot, self.draft) = (snapshot, draft)
  }

  func run() {
    let outcome = Result {
      try draft.write(snapshot.index) {
        DispatchTime.now().uptimeNanoseconds < deadline.load(ordering: .relaxed)
      }
    }
    self.outcome.withLock { $0 = outcome }
    end.signal()
  }

  func stop(at time: DispatchTime) {
    deadline.store(time.uptimeNanoseconds, ordering: .relaxed)
  }

  func wait() { end.wait() }
}
