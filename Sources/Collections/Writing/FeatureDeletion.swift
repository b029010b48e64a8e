import ClusterCore
import FeatureStore
import Threading

/// A deletion of the features in a region that pass a filter.
///
/// Other writes wait while the writer finds these features, so it has little time for that. A longer search is done
/// before the write's turn, by a thread for long reads, and the writer looks only at the changes since. If these are too
/// many, the search is brought up to date and waits for another turn.
package struct FeatureDeletion: Sendable {
  /// The features to delete, as of a version.
  package struct Found: Sendable {
    fileprivate let filtered: FilteredCollection
    /// The filter that they pass, as that version reads it.
    fileprivate let expression: FilterExpression

    /// The memory that it takes, in bytes.
    package var byteCount: Int { filtered.byteCount }

    /// The features that pass at a later version.
    fileprivate func following(_ collection: IndexedCollection) throws -> FilteredCollection {
      try filtered.following(collection, passing: { try $0.filter(ofKey: expression) }).filtered
    }
  }

  private let filter: FilterExpression?
  private let region: DegreesRegion?
  private let datetime: TimeExtent?
  /// The writer's time for finding the features to delete, in nanoseconds.
  package var turn: UInt = 20_000_000

  /// Describes features by what they must pass, and where and when they must be.
  package init(
    passing filter: FilterExpression?, in region: DegreesRegion?, at datetime: TimeExtent?
  ) {
    (self.filter, self.region, self.datetime) = (filter, region, datetime)
  }

  /// The filter that features must pass, given the temporal properties of their collection; nil for none.
  package func filter(at info: CollectionInfo) -> FilterExpression? {
    filter.narrowed(to: datetime, of: info.temporal)
  }

  /// Finds out what to delete; nil if it doesn't depend on a filter.
  ///
  /// - Parameter found: what was found out in an earlier version of the collection.
  /// - Throws: ``ImpossibleRequest`` if the filter asks for too much, or ``RecordArena/Full``.
  package func find(
    in snapshot: CollectionSnapshot, after found: Found? = nil
  ) throws -> Found? {
    guard let filter = filter(at: snapshot.info) else { return nil }
    let collection = snapshot.collection
    let expression = try collection.reading(filter)
    let filtered =
      if let found, found.expression == expression {
        try found.following(collection)
      } else {
        try FilteredCollection(of: collection, passing: { try $0.filter(ofKey: expression) })
      }
    return Found(filtered: filtered, expression: expression)
  }

  /// Finds out how many features to delete, which takes about as long as for the writer.
  ///
  /// - Throws: ``ImpossibleRequest`` if the filter asks for too much.
  package func look(in snapshot: CollectionSnapshot) throws {
    _ = try scope(of: snapshot, nil).count(in: region)
  }

  /// The features to delete; nil if that takes the writer too long to tell.
  func features(of snapshot: CollectionSnapshot, _ found: Found?) throws -> [FeatureID]? {
    let scope = try Cancellation.run(atMost: turn) { try self.scope(of: snapshot, found) }
    guard let scope else { return nil }
    let index = scope.index
    return scope.ordinals(in: region, offset: 0, limit: .max).map { index.record(at: $0).id }
  }

  /// Those that pass, and maybe others outside of the region.
  private func scope(of snapshot: CollectionSnapshot, _ found: Found?) throws -> FeatureScope {
    let (collection, filter) = (snapshot.collection, filter(at: snapshot.info))
    guard let filter else {
      if region == nil { throw CollectionsError.noTimes }
      return FeatureScope(collection)
    }
    guard let found, try collection.reading(filter) == found.expression else {
      return FeatureScope(collection, passing: try collection.filter(filter), near: region)
    }
    return FeatureScope(try found.following(collection).collection)
  }
}
