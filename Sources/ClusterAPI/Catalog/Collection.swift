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

  init(info: CollectionInfo, index: FeatureIndex) {
    self.info = info
    self.index = index
  }
}

/// All collections, as the last finished write left them. Readers take a snapshot and never wait
/// for writers; the one writer (``CollectionWriter``) replaces snapshots.
public final class Catalog: Sendable {
  private struct Entry {
    var snapshot: CollectionSnapshot
    /// There once somebody has watched.
    var log: TouchLog?
  }

  private let entries = Guarded<[String: Entry]>([:])
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
  public subscript(_ id: String) -> CollectionSnapshot? { entries.withLock { $0[id]?.snapshot } }

  /// All collections by id, as they are now.
  public var all: [CollectionSnapshot] {
    entries.withLock { $0.values.map(\.snapshot) }.sorted { $0.info.id < $1.info.id }
  }

  /// Shows a snapshot to readers, and what it changed to those who watch. Those of one collection come
  /// in the order of their versions.
  func publish(_ snapshot: CollectionSnapshot, touched: Touched) {
    let id = snapshot.info.id
    // The replaced snapshot is freed, if this was its last owner, after the lock is given back.
    let replaced = entries.withLock { entries in
      let old = entries[id]
      entries[id, default: Entry(snapshot: snapshot)].snapshot = snapshot
      old?.log?.append(snapshot, touched)
      return old
    }
    replaced?.log?.notify()
  }

  /// A dropped collection: those who watch it are told.
  func remove(_ id: String) {
    let removed = entries.withLock { entries in
      let removed = entries.removeValue(forKey: id)
      removed?.log?.end()
      return removed
    }
    removed?.log?.notify()
  }

  /// The log of a collection's changes, which begins with the first call; nil if there is none.
  func changes(of id: String, wake: @escaping @Sendable (TouchLog) -> Void) -> TouchLog? {
    entries.withLock { entries in
      guard let entry = entries[id] else { return nil }
      if let log = entry.log { return log }
      let log = TouchLog(from: entry.snapshot, wake: wake)
      entries[id]?.log = log
      return log
    }
  }
}
