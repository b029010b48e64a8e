import ClusterCore
import FeatureStore
import Synchronization

/// One immutable version of a collection in memory, from which answers are made.
public final class CollectionSnapshot: Sendable {
  /// The name, texts and version.
  public let info: CollectionInfo
  /// The features, and the columns and scopes that requests have made of them.
  let collection: IndexedCollection
  /// The index of the features.
  public var index: FeatureIndex { collection.index }
  /// When the first feature expires, in milliseconds since 1970 (UTC); nil if none ever does.
  var nextExpiry: Int64? { index.nextExpiry }
  /// Encoded cells, shared by all snapshots of the collection.
  let cellCache: CellCache
  /// Encoded tiles, shared likewise.
  let tileCache: TileCache
  /// Tells which properties the features have.
  let surveys: SurveyCache
  /// Its place in the order in which snapshots were shown, from 1; 0 before it is. Versions of a shared store may come again.
  let place = Atomic<Int>(0)

  /// Creates a snapshot by a change of an earlier one, or the first of a collection.
  init(
    info: CollectionInfo, collection: IndexedCollection, after earlier: CollectionSnapshot? = nil
  ) {
    (self.info, self.collection) = (info, collection)
    cellCache = earlier?.cellCache ?? CellCache()
    tileCache = earlier?.tileCache ?? TileCache()
    surveys =
      earlier.flatMap { $0.collection === collection ? $0.surveys : nil }
      ?? SurveyCache(after: earlier?.surveys)
  }

  /// The snapshot under another version.
  func changed(to version: Int64) -> CollectionSnapshot {
    CollectionSnapshot(info: info.changed(to: version), collection: collection, after: self)
  }
}
