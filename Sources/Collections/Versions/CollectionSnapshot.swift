import ClusterCore
import FeatureStore
import Synchronization

/// One immutable version of a collection in memory, from which answers are made.
package final class CollectionSnapshot: Sendable {
  /// The name, texts and version.
  package let info: CollectionInfo
  /// The features, and the columns and scopes that requests have made of them.
  package let collection: IndexedCollection
  /// The index of the features.
  @inlinable
  package var index: FeatureIndex { collection.index }
  /// When the first feature expires, in milliseconds since 1970 (UTC); nil if none ever does.
  var nextExpiry: Int64? { index.nextExpiry }
  /// Results that are kept between reads, shared by all snapshots of the collection; nil if nothing is kept.
  package let cache: (any SnapshotCache)?
  /// Tells which properties the features have.
  package let surveys: SurveyCache
  /// Its place in the order in which snapshots were shown, from 1; 0 before it is. Versions of a shared store may come again.
  package let place = Atomic<Int>(0)

  /// Creates a snapshot by a change of an earlier one, or the first of a collection.
  ///
  /// - Parameter cache: the cache of the first one and those that follow it.
  init(
    info: CollectionInfo, collection: IndexedCollection, after earlier: CollectionSnapshot? = nil,
    cache: @autoclosure () -> (any SnapshotCache)? = nil
  ) {
    (self.info, self.collection) = (info, collection)
    self.cache = earlier?.cache ?? cache()
    surveys =
      earlier.flatMap { $0.collection === collection ? $0.surveys : nil }
      ?? SurveyCache(after: earlier?.surveys)
  }

  /// The snapshot under another version.
  func changed(to version: Int64) -> CollectionSnapshot {
    CollectionSnapshot(info: info.changed(to: version), collection: collection, after: self)
  }
}

extension CollectionSnapshot {
  /// A collection as it is now, with its latest changes.
  struct Dated: Sendable {
    let snapshot: CollectionSnapshot
    /// Nil for the store of one process, and where it isn't known.
    let recent: RecentSteps?

    /// The time up to which all changes are in the snapshot, in microseconds since 1970 (UTC), however many there were; 0 if
    /// there is none to tell.
    var settled: Int64 { recent?.settled ?? 0 }
  }
}

/// Results that are kept between reads of a collection, as long as its features don't change. The versions of a collection
/// share one cache: they follow each other in one line, and each says at which coordinates it differs from the one before.
package protocol SnapshotCache: AnyObject, Sendable {
  /// An empty one of the same kind, for another collection.
  func another() -> any SnapshotCache

  /// Drops the results that a version has made invalid, before that version is shown. Versions come one after the other.
  ///
  /// - Parameter invalidated: the coordinates where features were before or are now; nil if they aren't known.
  func invalidate(_ invalidated: [Coordinate]?, at version: Int64)
}
