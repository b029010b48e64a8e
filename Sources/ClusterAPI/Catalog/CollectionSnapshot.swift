import ClusterCore
import FeatureStore

/// A collection as it is at one version: what every answer is made from.
public final class CollectionSnapshot: Sendable {
  /// Its name, texts and version.
  public let info: CollectionInfo
  /// Its features, and what requests have made of them.
  let collection: IndexedCollection
  /// The index of its features.
  public var index: FeatureIndex { collection.index }
  /// When the first of them expires, in milliseconds since 1970 (UTC); nil: none ever does.
  let nextExpiry: Int64?
  /// Cells of views on it, shared with the snapshots that it was made from.
  let remembered: CellCache

  /// A snapshot.
  ///
  /// - Parameter earlier: the one that it was made from by a change; nil for the first of a collection.
  convenience init(
    info: CollectionInfo, collection: IndexedCollection, after earlier: CollectionSnapshot? = nil
  ) {
    self.init(
      info: info, collection: collection, nextExpiry: collection.index.nextExpiry,
      remembered: earlier?.remembered ?? CellCache())
  }

  private init(
    info: CollectionInfo, collection: IndexedCollection, nextExpiry: Int64?, remembered: CellCache
  ) {
    self.info = info
    self.collection = collection
    self.nextExpiry = nextExpiry
    self.remembered = remembered
  }

  /// The same under another version.
  func changed(to version: Int64) -> CollectionSnapshot {
    CollectionSnapshot(
      info: info.changed(to: version), collection: collection, nextExpiry: nextExpiry,
      remembered: remembered)
  }
}
