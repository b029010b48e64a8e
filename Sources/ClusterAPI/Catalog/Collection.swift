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
  private let snapshots = Guarded<[String: CollectionSnapshot]>([:])
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
  public subscript(_ id: String) -> CollectionSnapshot? { snapshots.withLock { $0[id] } }

  /// All collections by id, as they are now.
  public var all: [CollectionSnapshot] {
    snapshots.withLock { Array($0.values) }.sorted { $0.info.id < $1.info.id }
  }

  func publish(_ snapshot: CollectionSnapshot, touched: Touched) {
    // The replaced snapshot is freed, if this was its last owner, after the lock is given back.
    let replaced = snapshots.withLock { $0.updateValue(snapshot, forKey: snapshot.info.id) }
    _ = replaced
  }

  func remove(_ id: String) {
    let removed = snapshots.withLock { $0.removeValue(forKey: id) }
    _ = removed
  }
}
