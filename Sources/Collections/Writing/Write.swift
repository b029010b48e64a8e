import ClusterCore
import FeatureStore
import GeoFormats
import Threading

/// A change that somebody asks for, read and checked: a value, which the writer carries out (``WriteGroup``). Once it is on
/// disk, what it came to is told as another value, a ``WriteOutcome``.
package struct Write: Sendable {
  /// The longest body of a write that is read before its turn and shares a transaction with others.
  /// Reading it takes about a millisecond.
  package static let smallBody = 256 << 10
  /// Room for the features of such a body.
  package static let smallRoom = DecodingRoom(granted: 4 * smallBody) { _ throws(FormatError) in
    throw .noRoom
  }

  /// The change of a collection. It counts as one change at most, however many features it concerns.
  package enum Change: Sendable {
    /// Creates the collection, or changes what is said of it.
    case describe(CollectionUpdates)
    /// Drops the collection.
    case drop
    /// Stores features, and creates the collection if there is none.
    case store(NewFeatures)
    /// Stores one feature, and creates the collection if there is none.
    case put(FeatureID, FeatureBatch, on: WriteConditions)
    /// Merges a patch into a feature.
    ///
    /// - Parameters:
    ///   - merged: the feature before the writer's turn, with the patch; nil if there was none.
    ///   - mergingAtMost: the most bytes of a feature that the writer merges it into if the feature has changed since.
    case patch(FeaturePatch, merged: FeaturePatch.Merge?, mergingAtMost: Int)
    /// Deletes one feature.
    case delete(FeatureID, on: WriteConditions)
    /// Deletes all features that a description fits, as far as that was found out before.
    case deleteAll(FeatureDeletion, FeatureDeletion.Found?)
  }

  /// Changes of what is said of a collection.
  package struct CollectionUpdates: Sendable {
    /// Its title.
    package var title = ValueUpdate<String>.keep
    /// Its description.
    package var description = ValueUpdate<String>.keep
    /// Its time to live, in milliseconds.
    package var ttl = ValueUpdate<Int64>.keep
    /// The properties with the times of its features.
    package var temporal = ValueUpdate<TemporalProperties>.keep

    /// Creates updates that change nothing.
    package init() {}
  }

  /// Features to store.
  package struct NewFeatures: Sendable {
    private let batch: Locked<FeatureBatch>
    /// Whether those that the client may not write are left out, rather than nothing stored.
    let leavesOutForbidden: Bool
    /// Whether the outcome tells their ids.
    let tellsIDs: Bool

    /// Creates features to store.
    ///
    /// - Parameters:
    ///   - leavesOutForbidden: whether those that the client may not write are left out, rather than nothing stored.
    ///   - tellsIDs: whether the outcome tells their ids.
    package init(_ batch: FeatureBatch, leavesOutForbidden: Bool, tellsIDs: Bool) {
      self.batch = Locked(batch)
      (self.leavesOutForbidden, self.tellsIDs) = (leavesOutForbidden, tellsIDs)
    }

    /// The features, which are kept unless this is the last time that they are taken: they may be too large to be copied.
    func take(isLast: Bool) -> FeatureBatch {
      batch.withLock { batch in
        defer { if isLast { batch = FeatureBatch() } }
        return batch
      }
    }
  }

  /// The view of its author. Features outside of it can't be changed.
  package let view: CatalogView
  /// The collection that it concerns.
  package let collection: String
  /// The memory that it takes until it is done, in bytes.
  package let bytes: Int
  /// Whether it may share a transaction with others.
  let isSmall: Bool
  /// The change that is asked for.
  let change: Change
  /// The states in which the collection has to be for a change other than of one feature; nil for any.
  package var conditions: CollectionConditions?

  /// Creates a write.
  ///
  /// - Parameters:
  ///   - view: the view of its author.
  ///   - collection: the collection that it concerns.
  ///   - bytes: the memory that it takes until it is done.
  ///   - isSmall: whether it may share a transaction with others.
  package init(
    by view: CatalogView, in collection: String, bytes: Int = 0, isSmall: Bool = false,
    _ change: Change
  ) {
    (self.view, self.collection, self.change) = (view, collection, change)
    (self.bytes, self.isSmall) = (bytes, isSmall)
  }

  /// Whether it deletes, so that it may use the space that is kept for that on a full disk.
  var makesRoom: Bool {
    switch change {
    case .drop, .delete, .deleteAll: true
    case .describe, .store, .put, .patch: false
    }
  }

  /// The outcome with the version after it, as a tenant sees that; ``WriteGroup`` tells it to all others. It may take a
  /// look at all features.
  package func telling(
    _ outcome: Result<WriteOutcome, any Error>
  ) -> Result<WriteOutcome, any Error> {
    guard view.isFiltered else { return outcome }
    switch outcome {
    case .success(var outcome):
      outcome.version = try? view[collection]?.info.version
      return .success(outcome)
    case .failure(var rejection as WriteOutcome.Rejection):
      rejection.version = try? view[collection]?.info.version
      return .failure(rejection)
    case .failure: return outcome
    }
  }
}
