import ClusterCore
import FeatureStore

/// Readers leave out features that have expired.
extension Catalog {
  struct Publishing {
    /// The collections with expired features that may still be on disk.
    var toSweep: Set<String> = []
  }

  struct Timekeeper {
    var clock: WallClock
    var versions: VersionCounter
  }

  /// Sets the clock by which features expire and the counter of versions. To be called once, before any
  /// snapshot is taken.
  func keepTime(_ clock: WallClock, _ versions: VersionCounter) {
    timekeeper.withLock { $0 = Timekeeper(clock: clock, versions: versions) }
  }

  /// Replaces a collection's snapshot by one without expired features.
  func withoutExpired(_ id: String) -> CollectionSnapshot? {
    publishing.withLock { publishing -> CollectionSnapshot? in
      guard let snapshot = shown(id) else { return nil }
      guard let timekeeper = timekeeper.withLock({ $0 }), let next = snapshot.nextExpiry else {
        return snapshot
      }
      let now = timekeeper.clock.now
      // Another reader may have been faster.
      guard next <= now else { return snapshot }
      let expired = snapshot.index.expired(at: now)
      guard let changed = try? snapshot.collection.applying([.remove(expired)]) else {
        preconditionFailure("removing features needs no memory for features")
      }
      let current = CollectionSnapshot(
        info: snapshot.info.changed(to: timekeeper.versions.next()), collection: changed.collection,
        after: snapshot)
      publishing.toSweep.insert(id)
      show(current, touched: .known(changed.touched))
      return current
    }
  }

  /// Marks collections whose rows of expired features may still be on disk.
  func needsSweep(_ ids: some Sequence<String>) {
    publishing.withLock { $0.toSweep.formUnion(ids) }
  }

  /// Leaves out expired features of all collections, even if there are no requests for them.
  ///
  /// - Complexity: O(n) for n collections.
  func leaveOutExpired() {
    guard let clock = timekeeper.withLock({ $0?.clock }) else { return }
    for id in ids(expiringBy: clock.now) { _ = withoutExpired(id) }
  }

  /// The collections in which features have expired since the last call, as they are now.
  func takeToSweep() -> [CollectionSnapshot] {
    leaveOutExpired()
    let ids = publishing.withLock { publishing in
      defer { publishing.toSweep = [] }
      return publishing.toSweep
    }
    return ids.compactMap { self[$0] }
  }
}
