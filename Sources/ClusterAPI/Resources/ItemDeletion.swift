import ClusterCore
import FeatureStore
import HTTPServer
import Threading

/// A deletion of the features in a region that pass a filter.
///
/// Other writes wait while the writer finds these features, so it has little time for that. A longer search is done
/// before the write's turn, by a thread for long reads, and the writer looks only at the changes since. If these are too
/// many, the search is brought up to date and waits for another turn.
struct ItemDeletion: Sendable {
  /// The features to delete as of a version.
  struct Found: Sendable {
    fileprivate let filtered: FilteredCollection
    /// The filter that they pass, as that version reads it.
    fileprivate let expression: FilterExpression
    /// The notes on properties that the filter names, from before the deletion, as all features with such a property may
    /// go.
    fileprivate let notes: [String]

    /// The features that pass at a later version.
    fileprivate func following(_ collection: IndexedCollection) throws -> FilteredCollection {
      try filtered.following(collection, passing: { try $0.filter(ofKey: expression) }).filtered
    }
  }

  /// The turns of the writer that are tried.
  static let attempts = 6

  let view: CatalogView
  /// The collection's id.
  let id: String
  let filter: FilterExpression?
  let region: DegreesRegion?
  let datetime: TimeExtent?
  let limits: WriteLimits
  /// The writer's time for finding the features to delete, in nanoseconds.
  var turn: UInt = 20_000_000

  /// Whether finding the features to delete takes next to no time, or is up to the writer, as a write before this one may
  /// create the collection.
  func isShort() throws -> Bool {
    guard let snapshot = try view[id] else { return true }
    return Cost(
      ofItems: .max, in: region, passing: filter(at: snapshot.info), of: snapshot.collection
    ).lane == nil
  }

  /// The write.
  ///
  /// - Parameters:
  ///   - found: the result of an earlier search.
  ///   - attempts: the turns that may be tried, with this one.
  func write(_ found: Found? = nil, attempts: Int = attempts) -> Write {
    var write = Write.alone(by: view, in: id, makesRoom: true) { group in
      let snapshot = view.work(for: id) == .much ? nil : try group.snapshot(id)
      let asked = try snapshot.flatMap { snapshot in
        try Interruption.run(atMost: turn) {
          (
            scope: try self.scope(of: snapshot, found),
            notes: found?.notes ?? notes(at: snapshot)
          )
        }
      }
      guard let (scope, notes) = asked else {
        guard group.hasCollection(id) else { throw Problem.noCollection }
        if attempts > 1 { throw Outdated() }
        throw Problem.unavailable("the collection changes faster than can be told what to delete")
      }
      let index = scope.index
      let ids = scope.ordinals(in: region, offset: 0, limit: .max).map { index.record(at: $0).id }
      if !ids.isEmpty { _ = try group.delete(ids, from: id) }
      return HTTPResponse { json in
        json.member("deleted", ids.count)
        json.notes(notes)
      }
    }
    // A larger result counts as half of the room, as only one client at a time has one for long.
    write.bytes = min(found?.filtered.byteCount ?? 0, limits.decodedBytes / 2)
    if attempts > 1 { write.again = { try lookAgain(after: found, attempts: attempts - 1) } }
    return write
  }

  /// Finds the features to delete.
  func lookAgain(after found: Found? = nil, attempts: Int = attempts) throws -> Write {
    guard let snapshot = try view[id], let filter = filter(at: snapshot.info) else {
      return write(attempts: attempts)
    }
    let collection = snapshot.collection
    let expression = try collection.reading(filter)
    let filtered =
      if let found, found.expression == expression {
        try found.following(collection)
      } else {
        try FilteredCollection(of: collection, passing: { try $0.filter(ofKey: expression) })
      }
    return write(
      Found(filtered: filtered, expression: expression, notes: notes(at: snapshot)),
      attempts: attempts)
  }

  /// Those that pass, and maybe others outside of the region.
  private func scope(of snapshot: CollectionSnapshot, _ found: Found?) throws -> FeatureScope {
    let (collection, filter) = (snapshot.collection, filter(at: snapshot.info))
    guard let filter else {
      if region == nil { throw ItemDeletion.noTimes }
      return FeatureScope(collection)
    }
    guard let found, try collection.reading(filter) == found.expression else {
      return FeatureScope(collection, passing: try collection.filter(filter), near: region)
    }
    return FeatureScope(try found.following(collection).collection)
  }

  private func notes(at snapshot: CollectionSnapshot) -> [String] {
    PropertyNotes(filter: filter(at: snapshot.info)).sentences(in: snapshot.collection)
  }

  /// The filter with the condition on times, as the description of the collection has it; nil
  /// without either.
  private func filter(at info: CollectionInfo) -> FilterExpression? {
    filter.narrowed(to: datetime, of: info.temporal)
  }

  /// A span of time says nothing where features have no times.
  private static let noTimes = Problem(
    422, field: "datetime", inBody: false,
    "the collection has no temporal properties, so that datetime alone would delete everything")
}
