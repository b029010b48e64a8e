import ClusterCore
import FeatureStore
import Threading
import Synchronization

/// All collections as the last finished write left them, without features that have expired since.
///
/// Readers take a snapshot and never wait for a disk. The only writer (``CollectionWriter``) replaces
/// snapshots, and so does the first reader after a feature has expired.
package final class Catalog: Sendable {
  private struct Entry {
    var snapshot: CollectionSnapshot
    /// The latest changes of a shared store.
    var recent: RecentSteps?
    /// Nil until the first client watches the collection.
    var log: InvalidationLog?
  }

  private struct Entries {
    var byID: [String: Entry] = [:]  // Characters: ids of collections, which are of ASCII
    /// In order.
    var ids: [String] = []
    var dropped = DroppedCollections()
    /// How many snapshots have been shown.
    var shownCount = 0

    subscript(_ id: String) -> Entry? { byID[id] }

    mutating func show(_ snapshot: CollectionSnapshot, _ steps: [RecentSteps.Step]) {
      let id = snapshot.info.id
      let recent = byID[id].flatMap {
        RecentSteps($0.recent, from: $0.snapshot, to: snapshot, by: steps)
      }
      if byID[id] == nil {
        ids.insert(id, at: place(of: id))
        dropped.remove(id)
      }
      byID[id, default: Entry(snapshot: snapshot)].snapshot = snapshot
      byID[id]?.recent = recent
    }

    mutating func remove(_ id: String, at version: Int64?) -> Entry? {
      guard let entry = byID.removeValue(forKey: id) else { return nil }
      ids.remove(at: place(of: id))
      if let version { dropped.add(id, at: version) }
      return entry
    }

    private func place(of id: String) -> Int { ids.indices.partitionPoint { ids[$0] < id } }
  }

  private let entries = Locked(Entries())
  /// The collections of a shared store that could not be read yet.
  // Characters: ids of collections, which are of ASCII
  private let unread = Locked<Set<String>>([])
  /// The logs of changes, also those of parts of collections.
  let logs = InvalidationLog.Family()
  /// Held while a snapshot is replaced, but never during work on a disk.
  /// The value is the collections with expired features that may still be on disk.
  // Characters: ids of collections, which are of ASCII
  private let publishing = Locked<Set<String>>([])
  private let successors = ExpirySuccessors()
  private let timekeeper = Locked<(clock: WallClock, versions: VersionCounter)?>(nil)
  private let loaded = Atomic<Bool>(false)
  private let stopping = Atomic<Bool>(false)
  private let detached = Atomic<Bool>(false)
  /// Reads that wait until a collection has come to a version.
  package let waits: VersionWaits
  /// A cache like those of the collections, which is none of them; nil if nothing is kept between reads.
  package let cache: (any SnapshotCache)?

  /// An empty catalogue that is not ready.
  ///
  /// - Parameters:
  ///   - cache: a cache like that which each collection gets; nil if nothing is to be kept between reads.
  ///   - waits: those who wait for versions.
  package init(cache: (any SnapshotCache)? = nil, waits: VersionWaits = VersionWaits()) {
    (self.cache, self.waits) = (cache, waits)
  }

  /// Whether every stored collection has been loaded, so that requests can be answered.
  package var isLoaded: Bool { loaded.load(ordering: .acquiring) }

  /// Whether the service wants traffic: it has loaded everything and isn't shutting down.
  package var isReady: Bool { isLoaded && !stopping.load(ordering: .acquiring) && !isDetached }

  /// Whether the data directory has been removed or replaced, so that nothing can be written.
  package var isDetached: Bool { detached.load(ordering: .relaxed) }

  /// Sets that; returns whether it is new.
  func setDetached(_ isDetached: Bool) -> Bool {
    detached.exchange(isDetached, ordering: .relaxed) != isDetached
  }

  /// Opens or closes the service to clients.
  package func setReady(_ isReady: Bool) { loaded.store(isReady, ordering: .releasing) }

  /// Marks the service as not ready because it is stopping. Requests are still answered, but none waits for a version.
  package func setStopping() {
    stopping.store(true, ordering: .releasing)
    waits.close()
  }

  /// The collection with an id, as it is now. Where much has expired, work that has a limit of time ends with this, as with
  /// ``Cancellation/run(atMost:_:)``.
  package subscript(_ id: String) -> CollectionSnapshot? {
    guard let snapshot = shown(id) else { return nil }
    // In a shared store expiry is a write, and there is no time here.
    guard let next = snapshot.nextExpiry, let now, next <= now else { return snapshot }
    if successors.successor(of: snapshot, at: now) == nil,
      snapshot.index.hasExpired(at: now, inMoreThan: ExpirySuccessors.fewBlocks),
      Cancellation.stopIfLimited()
    {
      return snapshot
    }
    return withoutExpired(id)
  }

  /// Whether there is a collection with an id that could not be read yet.
  package func isUnread(_ id: String) -> Bool { unread.withLock { $0.contains(id) } }

  /// Takes note of a collection that could not be read, unless an earlier state of it is shown.
  func couldNotRead(_ id: String) {
    if shown(id) == nil { _ = unread.withLock { $0.insert(id) } }
  }

  /// All collections by id, as they are now.
  ///
  /// - Complexity: O(collections).
  package var all: [CollectionSnapshot] {
    ids.compactMap { self[$0] }
  }

  /// The ids of all collections, in order.
  package var ids: [String] { entries.withLock { $0.ids } }

  /// The number of collections.
  package var count: Int { entries.withLock { $0.ids.count } }

  /// Some of the collections by id, as they are now.
  package func page(offset: Int, limit: Int) -> [CollectionSnapshot] {
    entries.withLock { Array($0.ids.dropFirst(offset).prefix(limit)) }.compactMap { self[$0] }
  }

  /// Shows a collection as a write has left it. If expired features were left out meanwhile, the snapshot
  /// gets a new version, as versions only grow.
  ///
  /// - Parameters:
  ///   - invalidated: the coordinates where features were before or are now; nil if they aren't known.
  ///   - steps: in which it was changed in a shared store; none if in one.
  /// - Returns: the snapshot that is shown.
  @discardableResult
  func publish(
    _ snapshot: CollectionSnapshot, invalidated: [Coordinate]?, steps: [RecentSteps.Step] = []
  ) -> CollectionSnapshot {
    let shown = replace(with: snapshot, invalidated: invalidated, steps)
    unread.withLock { _ = $0.remove(shown.info.id) }
    waits.show(shown.info.version, of: shown.info.id)
    return shown
  }

  private func replace(
    with snapshot: CollectionSnapshot, invalidated: [Coordinate]?, _ steps: [RecentSteps.Step]
  ) -> CollectionSnapshot {
    publishing.withLock { toSweep in
      let id = snapshot.info.id
      guard let shown = shown(id),
        shown.info.version > snapshot.info.version, let timekeeper = timekeeper.withLock({ $0 })
      else {
        show(snapshot, invalidated: invalidated, steps)
        return snapshot
      }
      let later = snapshot.changed(to: timekeeper.versions.next())
      toSweep.insert(id)
      show(later, invalidated: invalidated)
      return later
    }
  }

  /// The collection with an id, which may hold features that have expired: for those who have no time to leave them out.
  func shown(_ id: String) -> CollectionSnapshot? { entries.withLock { $0[id]?.snapshot } }

  /// Replaces a snapshot and tells watchers the changed coordinates. The caller holds
  /// ``publishing``.
  private func show(
    _ snapshot: CollectionSnapshot, invalidated: [Coordinate]?, _ steps: [RecentSteps.Step] = []
  ) {
    let id = snapshot.info.id
    snapshot.cache?.invalidate(invalidated, at: snapshot.info.version)
    // The replaced snapshot, if this is its last owner, is freed after the lock is released.
    let replaced = entries.withLock { entries in
      let old = entries[id]
      entries.shownCount += 1
      snapshot.place.store(entries.shownCount, ordering: .relaxed)
      let saysMore = old.map { !$0.snapshot.info.says(sameAs: snapshot.info) } ?? true
      let whole = RecentSteps.Step(time: snapshot.info.time)
      entries.show(
        snapshot, steps.isEmpty || saysMore || invalidated == nil ? steps + [whole] : steps)
      old?.log?.append(snapshot, invalidated)
      return old
    }
    replaced?.log?.notify()
  }

  /// The version of a collection as it is shown, with features that may have expired; that at which it was dropped if
  /// it isn't there any more, as far as that is remembered.
  package func version(of id: String) -> (number: Int64, isDropped: Bool)? {
    entries.withLock { entries in
      entries[id].map { ($0.snapshot.info.version, false) }
        ?? entries.dropped[id].map { ($0, true) }
    }
  }

  /// Takes note that a collection of a shared store, as it is shown, has all changes up to a time, before which there was a
  /// full second. All instances tell of the same seconds, so the time counts only while nothing else is known.
  func settle(_ id: String, at second: Int64, _ time: Int64) {
    let version = entries.withLock { entries -> Int64? in
      guard let entry = entries[id] else { return nil }
      let last = entry.snapshot.info.time
      let settled = entry.recent == nil && last > second ? time : second
      guard last <= settled, entry.recent?.settled ?? 0 < settled else { return nil }
      entries.byID[id]?.recent = RecentSteps(entry.snapshot, settled: settled)
      return entry.snapshot.info.version
    }
    // Tenants wait for times.
    if let version { waits.show(version, of: id) }
  }

  /// The collection with an id as it is now, with its latest changes.
  func dated(_ id: String) -> CollectionSnapshot.Dated? {
    guard let snapshot = self[id] else { return nil }
    // A later one, if there is one by now.
    return entries.withLock { entries in
      entries[id].map { CollectionSnapshot.Dated(snapshot: $0.snapshot, recent: $0.recent) }
    } ?? CollectionSnapshot.Dated(snapshot: snapshot, recent: nil)
  }

  /// Removes a dropped collection and tells its watchers.
  ///
  /// - Parameter version: that of the drop; nil if it isn't known, as another instance has dropped it.
  func remove(_ id: String, at version: Int64?) {
    unread.withLock { _ = $0.remove(id) }
    publishing.withLock { toSweep in
      toSweep.remove(id)
      let removed = entries.withLock { entries in
        let removed = entries.remove(id, at: version)
        removed?.log?.end()
        return removed
      }
      removed?.log?.notify()
    }
    // Clients that wait for it are told that it has gone.
    if let version = self.version(of: id) { waits.show(version.number, of: id) }
  }

  /// The log of a collection's changes, which begins with the first call; nil if there is no such collection.
  package func changes(of id: String, wake: @escaping @Sendable (InvalidationLog) -> Void)
    -> InvalidationLog?
  {
    entries.withLock { entries in
      guard let entry = entries[id] else { return nil }
      if let log = entry.log { return log }
      let log = InvalidationLog(from: entry.snapshot, in: logs, wake: wake)
      entries.byID[id]?.log = log
      return log
    }
  }

  // MARK: Expiry

  /// Sets the clock and the counter of versions. To be called once, before any snapshot is taken.
  func keepTime(_ clock: WallClock, _ versions: VersionCounter) {
    timekeeper.withLock { $0 = (clock, versions) }
  }

  /// The time by which features have expired, in milliseconds since 1970 (UTC); nil before ``keepTime(_:_:)``, which
  /// isn't called with a shared store.
  private var now: Int64? { timekeeper.withLock { $0?.clock }?.now }

  /// Replaces a collection's snapshot by one without expired features.
  private func withoutExpired(_ id: String) -> CollectionSnapshot? {
    let shown = leaveOutExpired(of: id)
    if let shown { waits.show(shown.info.version, of: id) }
    return shown
  }

  private func leaveOutExpired(of id: String) -> CollectionSnapshot? {
    publishing.withLock { toSweep -> CollectionSnapshot? in
      guard let snapshot = shown(id) else { return nil }
      guard let timekeeper = timekeeper.withLock({ $0 }), let next = snapshot.nextExpiry else {
        return snapshot
      }
      let now = timekeeper.clock.now
      // Another reader may have been faster.
      guard next <= now else { return snapshot }
      let successor = successors.successor(of: snapshot, at: now)
      var (collection, invalidated) = (
        successor?.collection ?? snapshot.collection, successor?.invalidated ?? []
      )
      let expired = collection.index.expired(at: now)
      if !expired.isEmpty {
        // Without memory for a version without them, they are shown for now.
        guard let changed = try? collection.applying([.remove(expired)]) else { return snapshot }
        (collection, invalidated) = (changed.collection, invalidated + changed.invalidated)
      }
      let current = CollectionSnapshot(
        info: snapshot.info.changed(to: timekeeper.versions.next()), collection: collection,
        after: snapshot)
      toSweep.insert(id)
      show(current, invalidated: invalidated)
      return current
    }
  }

  /// Marks collections whose rows of expired features may still be on disk.
  func needsSweep(_ ids: some Sequence<String>) {
    publishing.withLock { $0.formUnion(ids) }
  }

  /// Leaves out expired features of all collections, even if there are no requests for them, and prepares for those that expire
  /// next. The writer calls it several times a second.
  func leaveOutExpired() {
    guard let now else { return }
    let ids = entries.withLock { entries in
      entries.byID.compactMap { id, entry in (entry.snapshot.nextExpiry ?? .max) <= now ? id : nil }
    }
    for id in ids { _ = withoutExpired(id) }
    successors.prepare(entries.withLock { $0.byID.values.map(\.snapshot) }, at: now)
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

  /// Whether text can be a collection's id: `[A-Za-z0-9_-]{1,64}`.
  package static func isCollectionID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}

extension Catalog {
  /// The versions at which the latest collections were dropped, so that no read waits for one that has
  /// gone.
  fileprivate struct DroppedCollections: Sendable {
    /// The most that are remembered.
    static let most = 1000

    // Characters: ids of collections, which are of ASCII
    private var versions: [String: Int64] = [:]
    /// The ids, the one that was dropped first first.
    private var ids: [String] = []

    /// The version at which a collection was dropped; nil if it wasn't, or long ago.
    subscript(_ id: String) -> Int64? { versions[id] }

    /// Notes that a collection was dropped.
    mutating func add(_ id: String, at version: Int64) {
      remove(id)
      versions[id] = version
      ids.append(id)
      if ids.count > DroppedCollections.most { versions[ids.removeFirst()] = nil }
    }

    /// Notes that there is such a collection again.
    mutating func remove(_ id: String) {
      guard versions.removeValue(forKey: id) != nil else { return }
      ids.removeAll { $0 == id }
    }
  }
}
