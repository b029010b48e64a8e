import ClusterCore
import Dispatch
import FeatureStore
import Threading

/// Compares each collection in memory now and then with its rows in a shared store. They are the same unless somebody
/// edits the store by hand, or this program has a bug in following others.
extension CollectionWriter {
  /// When collections are compared.
  struct Comparing {
    fileprivate var isRunning = false
    /// When each collection is due, by key, on a monotonic clock.
    fileprivate var due: [Int64: UInt] = [:]
    /// When one may be compared next, whichever it is.
    fileprivate var next: UInt = 0
  }

  /// The shortest pause between two comparisons, in nanoseconds, and as a multiple of the last one's duration.
  private static let (pause, rest): (UInt, UInt) = (1_000_000_000, 50)

  /// Begins a comparison, if one is due. There is one at a time, with pauses between them.
  func compareIfDue() {
    home.check()
    let now = MonotonicTime.now
    guard let shared, let interval = shared.comparisonInterval, shared.link.isUp,
      !comparing.isRunning, comparing.next <= now
    else { return }
    let pause = min(UInt(interval * 1e9), CollectionWriter.pause)
    comparing.next = now + pause
    let snapshots = catalog.all
    var due: [Int64: UInt] = [:]
    for snapshot in snapshots {
      // Instances that began together don't compare together.
      due[snapshot.info.key] =
        comparing.due[snapshot.info.key]
        ?? now + UInt(interval * 1e9 * Double.random(in: 0.5...1))
    }
    comparing.due = due
    let next = snapshots.min {
      due[$0.info.key, default: 0] < due[$1.info.key, default: 0]
    }
    guard let next, due[next.info.key, default: 0] <= now else { return }
    comparing.due[next.info.key] = now + UInt(interval * 1e9)
    compare(next, shared, pause: pause)
  }

  private func compare(_ snapshot: CollectionSnapshot, _ shared: any SharedStore, pause: UInt) {
    let compare = shared.comparer(of: snapshot.info, snapshot.index)
    let outcome = Locked<Result<StoreComparison?, any Error>?>(nil)
    let start = MonotonicTime.now
    let finish: @Sendable () -> Void = { [weak self] in
      guard let self, let result = outcome.withLock({ $0 }) else { return }
      comparing.isRunning = false
      let end = MonotonicTime.now
      comparing.next = end + max(pause, (end - start) * CollectionWriter.rest)
      hasCompared(result)
    }
    comparing.isRunning = BackgroundThread.start(niceness: 15) { [queue] in
      let result = Result { try compare() }
      outcome.withLock { $0 = result }
      queue.async(execute: finish)
    }
  }

  private func hasCompared(_ result: Result<StoreComparison?, any Error>) {
    home.check()
    guard let shared, following.isActive else { return }
    do {
      guard let comparison = try result.get() else { return }
      shared.link.hasCompared(isSame: comparison.isSame)
      guard !comparison.isSame else { return }
      let info = comparison.info
      indexFiles.report(
        .drift(
          collection: info.id, version: info.version, features: comparison.features,
          shown: comparison.counts.shown, stored: comparison.counts.stored))
      try show(comparison.features, of: info, shared)
      if !comparison.isComplete { comparing.due[info.key] = 0 }
    } catch StoreError.away, StoreError.dropped, StoreError.conflict {
      // It is tried again in its time.
    } catch {
      indexFiles.report(.damaged(reason: "\(error)"))
    }
  }

  /// Shows features as the store holds them, here and by all other instances.
  private func show(
    _ features: [FeatureID], of info: CollectionInfo, _ shared: any SharedStore
  ) throws {
    if info.isAttached { return try shared.recheck(features, of: info) }
    let group = WriteGroup(store, catalog, limits, isShared: true)
    try shared.transaction(on: [info.id]) {
      try group.reread(features, of: info.id, shared)
      try group.prepare()
    }
    group.publish()
    group.end()
  }
}
