import Dispatch
import FeatureStore

/// Deletes expired features from disk. Readers have left them out before (``Catalog``).
extension CollectionWriter {
  /// Shows a collection that was loaded without its expired features. If there were any it is another
  /// than the one that its version named.
  func show(_ snapshot: CollectionSnapshot, withoutExpired count: Int) {
    dispatchPrecondition(condition: .onQueue(queue))
    if count > 0 || snapshot.nextExpiry != nil {
      // Without, as on a full disk, versions go on all the same.
      try? store.reserveVersions()
    }
    guard count > 0 else {
      catalog.publish(snapshot, touched: .unknown)
      return
    }
    catalog.publish(snapshot.changed(to: store.versions.next()), touched: .unknown)
    catalog.needsSweep([snapshot.info.id])
  }

  /// When the writer looks for features to delete.
  struct Sweeping {
    /// Wakes it up when there is nothing to write; nil before it has begun and after its end.
    var timer: (any DispatchSourceTimer)?
    /// When it looks next.
    var next = DispatchTime.now()
  }

  /// From now on looks whether something has expired.
  func startSweeping() {
    dispatchPrecondition(condition: .onQueue(queue))
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in
      // Those who watch are to know without anybody who asks.
      self?.catalog.leaveOutExpired()
      self?.sweepIfDue()
      self?.keepIndexFiles()
    }
    timer.schedule(
      deadline: .now(), repeating: .milliseconds(250), leeway: .milliseconds(25))
    timer.resume()
    sweeping.timer = timer
  }

  /// Looks once more and never again.
  func stopSweeping() {
    dispatchPrecondition(condition: .onQueue(queue))
    guard let timer = sweeping.timer else { return }
    sweep()
    timer.cancel()
    sweeping.timer = nil
  }

  /// Deletes what has expired, at most once a second, but for what is left of a lot.
  func sweepIfDue() {
    guard sweeping.timer != nil, sweeping.next <= .now() else { return }
    sweep()
  }

  /// Deletes what has expired, or as much of it as others don't wait for too long.
  private func sweep() {
    sweeping.next = .now() + .seconds(1)
    // In this order: what has expired by now is in none of the snapshots.
    let now = store.clock.now
    let snapshots = catalog.takeToSweep()
    guard !snapshots.isEmpty else { return }
    let isDone = try? store.removeExpired(
      from: snapshots.map(\.info.key), at: now)
    guard isDone != true else { return }
    // What has failed, as on a full disk, waits for its next turn.
    catalog.needsSweep(snapshots.map(\.info.id))
    guard isDone == false else { return }
    sweeping.next = .now()
    queue.async { [weak self] in self?.sweepIfDue() }
  }
}
