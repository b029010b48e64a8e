import ClusterCore
import Dispatch
import FeatureStore
import Synchronization

/// The one writer: takes each change to the disk, then into the index, then shows it to readers. It
/// works on a queue of its own, so that no event loop waits for a disk.
///
/// `@unchecked Sendable`: the store is touched on the serial `queue` only, all else is Sendable.
public final class CollectionWriter: @unchecked Sendable {
  /// The bodies that may wait for the writer, in bytes; past it writes are refused for now.
  public static let maximumPendingBytes = 512 << 20

  /// Part of every ETag: versions of another store mean something else.
  public let storeID: UInt64
  private let store: FeatureStore
  private let catalog: Catalog
  private let queue = DispatchQueue(label: "pincluster.writer")
  private let pendingBytes = Atomic<Int>(0)

  /// A writer for a store, which it takes over, and the catalogue that it feeds.
  public init(store: sending FeatureStore, catalog: Catalog) {
    storeID = store.storeID
    self.store = store
    self.catalog = catalog
  }

  /// Loads every collection into the catalogue. To be called once, before any write.
  public func load() throws {
    try queue.sync {
      for info in try store.collections() {
        var builder = FeatureIndexBuilder(expecting: info.featureCount)
        try store.forEachBatch(of: info.key) { try builder.append($0) }
        catalog.publish(CollectionSnapshot(info: info, index: builder.build()))
      }
    }
  }

  /// Runs a piece of work on the writer's queue, unless too much is waiting there.
  ///
  /// - Parameter bytes: what the work keeps in memory until it is done.
  /// - Returns: whether it will run.
  func enqueue(bytes: Int, _ work: @escaping @Sendable (CollectionWriter) -> Void) -> Bool {
    let cost = bytes + 1024
    let (_, waiting) = pendingBytes.add(cost, ordering: .relaxed)
    guard waiting <= CollectionWriter.maximumPendingBytes else {
      pendingBytes.subtract(cost, ordering: .relaxed)
      return false
    }
    queue.async {
      work(self)
      self.pendingBytes.subtract(cost, ordering: .relaxed)
    }
    return true
  }

  /// Waits until everything that was enqueued is done, then closes the store.
  public func close() { queue.sync { store.close() } }

  // MARK: On the queue

  /// Creates a collection or changes its texts.
  func put(
    _ id: String, title: TextUpdate, description: TextUpdate
  ) throws -> (snapshot: CollectionSnapshot, created: Bool) {
    dispatchPrecondition(condition: .onQueue(queue))
    let (info, created) = try store.putCollection(id, title: title, description: description)
    let snapshot = CollectionSnapshot(info: info, index: catalog[id]?.index ?? FeatureIndex())
    catalog.publish(snapshot)
    return (snapshot, created)
  }

  /// Drops a collection; false if there is none.
  func drop(_ id: String) throws -> Bool {
    dispatchPrecondition(condition: .onQueue(queue))
    guard try store.dropCollection(id) != nil else { return false }
    catalog.remove(id)
    return true
  }

  /// Stores features, creating the collection if need be. Features without an id are given one in
  /// the batch.
  func upsert(_ batch: inout FeatureBatch, into id: String) throws -> UpsertResult {
    dispatchPrecondition(condition: .onQueue(queue))
    let result = try store.upsert(&batch, into: id)
    let index = catalog[id]?.index ?? FeatureIndex()
    catalog.publish(
      CollectionSnapshot(info: result.info, index: try index.applying(.upsert(batch))))
    return result
  }

  /// Deletes a feature; false if there is none.
  func delete(_ feature: FeatureID, from id: String) throws -> Bool {
    dispatchPrecondition(condition: .onQueue(queue))
    guard let snapshot = catalog[id], let info = try store.delete(feature, from: id) else {
      return false
    }
    catalog.publish(
      CollectionSnapshot(info: info, index: try snapshot.index.applying(.remove([feature]))))
    return true
  }
}
