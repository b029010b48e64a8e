import ClusterCore
import FeatureStore
import Guards
import HTTPServer
import Synchronization

/// A collection as it is at one version: what every answer is made from.
public final class CollectionSnapshot: Sendable {
  /// Its name, texts and version.
  public let info: CollectionInfo
  /// Its features.
  public let index: FeatureIndex
  /// When the first of them expires, in milliseconds since 1970 (UTC); nil: none ever does.
  let nextExpiry: Int64?

  convenience init(info: CollectionInfo, index: FeatureIndex) {
    self.init(info: info, index: index, nextExpiry: index.nextExpiry)
  }

  private init(info: CollectionInfo, index: FeatureIndex, nextExpiry: Int64?) {
    self.info = info
    self.index = index
    self.nextExpiry = nextExpiry
  }

  /// The same under another version.
  func changed(to version: Int64) -> CollectionSnapshot {
    CollectionSnapshot(info: info.changed(to: version), index: index, nextExpiry: nextExpiry)
  }
}

/// All collections, as the last finished write left them, without what has expired since. Readers take
/// a snapshot and never wait for a disk; the one writer (``CollectionWriter``) replaces snapshots, and
/// so does the first reader who comes after a feature has expired.
public final class Catalog: Sendable {
  let snapshots = Guarded<[String: CollectionSnapshot]>([:])
  /// Held by whoever replaces a snapshot, but not across work on a disk.
  let publishing = Guarded(Publishing())
  let timekeeper = Guarded<Timekeeper?>(nil)
  private let loaded = Atomic<Bool>(false)
  private let stopping = Atomic<Bool>(false)

  /// An empty catalogue that is not ready.
  public init() {}

  /// Whether every stored collection has been loaded, so that requests can be answered.
  public var isLoaded: Bool { loaded.load(ordering: .acquiring) }

  /// Whether the service wants traffic: it has loaded everything and isn't shutting down.
  public var isReady: Bool { isLoaded && !stopping.load(ordering: .acquiring) }

  /// Opens or closes the service to clients.
  public func setReady(_ isReady: Bool) { loaded.store(isReady, ordering: .releasing) }

  /// Tells those who ask for readiness that the service is going. What was begun is still answered;
  /// to take nothing new on is the server's part, which stops accepting.
  public func setStopping() { stopping.store(true, ordering: .releasing) }

  /// The collection with an id, as it is now.
  public subscript(_ id: String) -> CollectionSnapshot? {
    guard let snapshot = snapshots.withLock({ $0[id] }) else { return nil }
    guard let next = snapshot.nextExpiry, let now = timekeeper.withLock({ $0?.clock })?.now,
      next <= now
    else { return snapshot }
    return withoutExpired(id)
  }

  /// All collections by id, as they are now.
  public var all: [CollectionSnapshot] {
    snapshots.withLock { Array($0.keys) }.sorted().compactMap { self[$0] }
  }

  /// Shows a collection as a write has left it. If expired features were left out of it meanwhile, it
  /// gets a version of its own, for versions only grow.
  ///
  /// - Returns: what is shown.
  @discardableResult
  func publish(_ snapshot: CollectionSnapshot, touched: Touched) -> CollectionSnapshot {
    publishing.withLock { publishing in
      let id = snapshot.info.id
      guard let shown = snapshots.withLock({ $0[id] }),
        shown.info.version > snapshot.info.version, let timekeeper = timekeeper.withLock({ $0 })
      else {
        show(snapshot, touched: touched)
        return snapshot
      }
      let later = snapshot.changed(to: timekeeper.versions.next())
      publishing.toSweep.insert(id)
      show(later, touched: touched)
      return later
    }
  }

  /// Forgets a dropped collection.
  func remove(_ id: String) {
    publishing.withLock { publishing in
      publishing.toSweep.remove(id)
      let removed = snapshots.withLock { $0.removeValue(forKey: id) }
      _ = removed
    }
  }

  /// Replaces a snapshot, while publishing.
  func show(_ snapshot: CollectionSnapshot, touched: Touched) {
    // The replaced snapshot is freed, if this was its last owner, after the lock is given back.
    let replaced = snapshots.withLock { $0.updateValue(snapshot, forKey: snapshot.info.id) }
    _ = replaced
  }
}
