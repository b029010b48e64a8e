import Dispatch
import FeatureStore

/// Deletes expired features from disk. Readers leave them out as soon as they expire (``Catalog``).
extension CollectionWriter {
  /// Shows a collection that was loaded without its expired features, under a new version if there were any.
  func show(_ snapshot: CollectionSnapshot, withoutExpired count: Int) {
    home.check()
    if count > 0 || snapshot.nextExpiry != nil {
      // If this fails, as on a full disk, versions go on all the same.
      try? store.reserveVersions()
    }
    guard count > 0 else {
      catalog.publish(snapshot, invalidated: nil)
      return
    }
    catalog.publish(
      snapshot.changed(to: store.unwrittenVersions?.next() ?? snapshot.info.version),
      invalidated: nil)
    catalog.needsSweep([snapshot.info.id])
  }

  /// When the writer looks for features to delete.
  struct Sweeping {
    /// Wakes the writer up when there is nothing to write; nil before it has begun and after its end.
    var timer: (any DispatchSourceTimer)?
    /// When it looks next.
    var next = DispatchTime.now()
  }

  /// Looks from now on, four times a second, whether features have expired or index files are due.
  func startSweeping() {
    home.check()
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in
      // Watchers need the change even if no client reads the collection.
      self?.catalog.leaveOutExpired()
      self?.noticePlace()
      self?.noticeLog()
      self?.sweepIfDue()
      self?.clearDropped()
      self?.keepIndexFiles()
      self?.compareIfDue()
    }
    timer.schedule(deadline: .now(), repeating: .milliseconds(250), leeway: .milliseconds(25))
    timer.resume()
    sweeping.timer = timer
  }

  /// Looks once more and never again.
  func stopSweeping() {
    home.check()
    guard let timer = sweeping.timer else { return }
    sweep()
    timer.cancel()
    sweeping.timer = nil
  }

  /// Deletes expired features, at most once a second unless a sweep has left some.
  func sweepIfDue() {
    home.check()
    guard sweeping.timer != nil, sweeping.next <= .now() else { return }
    sweep()
  }

  /// Deletes expired features, or as many of them as don't keep writes waiting too long.
  private func sweep() {
    if let shared {
      sweeping.next = .now() + .milliseconds(200)
      return sweep(shared)
    }
    sweeping.next = .now() + .seconds(1)
    // In this order, so that no snapshot holds a feature that has expired by then.
    let now = store.clock.now
    let snapshots = catalog.takeToSweep()
    guard !snapshots.isEmpty else { return }
    let isDone = atMost(SQLiteStore.expiredAtOnce, elseOf: [256, 16, 1]) {
      try store.removeExpired(from: snapshots.map(\.info.key), at: now, atMost: $0)
    }
    guard isDone != true else { return }
    // The sweep that failed waits for its next turn.
    catalog.needsSweep(snapshots.map(\.info.id))
    guard isDone == false else { return }
    sweeping.next = .now()
    queue.async { [weak self] in self?.sweepIfDue() }
  }
}
