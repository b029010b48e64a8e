import ClusterCore
import FeatureStore

/// Leaves out features that have expired.
extension Catalog {
  /// Sets the clock by which features expire and the counter of versions. To be called once, before any
  /// snapshot is taken.
  func keepTime(_ clock: WallClock, _ versions: VersionCounter) {
    timekeeper.withLock { $0 = (clock, versions) }
  }

  /// Replaces a collection's snapshot by one without expired features.
  func withoutExpired(_ id: String) -> CollectionSnapshot? {
    publishing.withLock { toSweep -> CollectionSnapshot? in
      guard let snapshot = shown(id) else { return nil }
      guard let timekeeper = timekeeper.withLock({ $0 }), let next = snapshot.nextExpiry else {
        return snapshot
      }
      let now = timekeeper.clock.now
      // Another reader may have been faster.
      guard next <= now else { return snapshot }
      let expired = snapshot.index.expired(at: now)
      guard let changed = try? snapshot.collection.applying([.remove(expired)]) else {
        preconditionFailure("removing features takes no memory for features")
      }
      let current = CollectionSnapshot(
        info: snapshot.info.changed(to: timekeeper.versions.next()), collection: changed.collection,
        after: snapshot)
      toSweep.insert(id)
      show(current, touched: changed.touched)
      return current
    }
  }

  /// Marks collections whose rows of expired features may still be on disk.
  func needsSweep(_ ids: some Sequence<String>) {
    publishing.withLock { $0.formUnion(ids) }
  }

  /// Leaves out expired features of all collections, even if there are no requests for them.
  func leaveOutExpired() {
    guard let clock = timekeeper.withLock({ $0?.clock }) else { return }
    for id in ids(expiringBy: clock.now) { _ = withoutExpired(id) }
  }

  /// The collections in which features have expired since the last call, as they are now.
  func takeToSweep() -> [CollectionSnapshot] {
    leaveOutExpired()
    let ids = publishing.withLock { toSweep in
      defer { toSweep = [] }
      return toSweep
    }
    return ids.compactMap { self[$0] }
  }
}
