import ClusterCore
import FeatureStore

/// Readers see to it that nobody sees what has expired.
extension Catalog {
  struct Publishing {
    /// Collections of which features have expired that may still be on disk.
    var toSweep: Set<String> = []
  }

  struct Timekeeper {
    var clock: WallClock
    var versions: VersionCounter
  }

  /// Lets features expire by a clock, under versions of a counter. To be called once, before any
  /// snapshot is taken.
  func keepTime(_ clock: WallClock, _ versions: VersionCounter) {
    timekeeper.withLock { $0 = Timekeeper(clock: clock, versions: versions) }
  }

  /// Shows a collection without what has expired.
  func withoutExpired(_ id: String) -> CollectionSnapshot? {
    publishing.withLock { publishing -> CollectionSnapshot? in
      guard let snapshot = shown(id) else { return nil }
      guard let timekeeper = timekeeper.withLock({ $0 }), let next = snapshot.nextExpiry else {
        return snapshot
      }
      let now = timekeeper.clock.now
      // Somebody else may have been faster.
      guard next <= now else { return snapshot }
      let expired = snapshot.index.expired(at: now)
      guard let changed = try? snapshot.collection.applying([.remove(expired)]) else {
        preconditionFailure("what is removed needs no room")
      }
      let current = CollectionSnapshot(
        info: snapshot.info.changed(to: timekeeper.versions.next()), collection: changed.collection,
        after: snapshot)
      publishing.toSweep.insert(id)
      show(current, touched: .known(changed.touched))
      return current
    }
  }

  /// Says that rows of expired features may be on disk.
  func needsSweep(_ ids: some Sequence<String>) {
    publishing.withLock { $0.toSweep.formUnion(ids) }
  }

  /// Leaves out what has expired and nobody has asked for. O(n) for n collections.
  func leaveOutExpired() {
    guard let clock = timekeeper.withLock({ $0?.clock }) else { return }
    for id in ids(expiringBy: clock.now) { _ = withoutExpired(id) }
  }

  /// The collections of which features have expired since this was last asked, as they are now.
  func takeToSweep() -> [CollectionSnapshot] {
    leaveOutExpired()
    let ids = publishing.withLock { publishing in
      defer { publishing.toSweep = [] }
      return publishing.toSweep
    }
    return ids.compactMap { self[$0] }
  }
}
