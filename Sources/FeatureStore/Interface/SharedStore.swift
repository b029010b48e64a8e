import ClusterCore

/// A store to which other instances write, too.
public protocol SharedStore: FeatureStore {
  /// A function that gets the changes of other instances, in the order of versions, before ``transaction(on:_:)``
  /// begins its body and by ``follow()``.
  var onChange: (StoreChange) throws -> Void { get set }
  /// A descriptor that is readable when other instances have changed something; nil while there is no connection.
  var descriptor: Int32? { get }
  /// The state of the connection, for any thread.
  var link: StoreLink { get }
  /// Hands over the changes of other instances. Connects if there is no connection.
  func follow() throws(StoreError)
  /// A function that loads a collection as it is when it is called, for any thread.
  func loader(of info: CollectionInfo) -> @Sendable () throws -> LoadedIndex
  /// Takes note that a collection is shown as a loader has loaded it, from which the next changes are to lead on.
  func isShown(_ info: CollectionInfo)
  /// Takes note that a collection couldn't be loaded or shown; it is tried again after a pause.
  func couldNotShow(_ info: CollectionInfo, _ error: any Error)
  // Characters: ids of collections, which are of ASCII
  /// Runs `body` in a transaction, as ``transaction(on:_:)`` does, unless another instance is sweeping; returns whether
  /// it has.
  func sweep(on ids: Set<String>, _ body: () throws -> Void) throws -> Bool
  /// Deletes features that have expired, in a transaction: the collection after that.
  func expire(_ features: [FeatureID], from id: String) throws(StoreError) -> CollectionInfo?
  /// The seconds between two comparisons of a collection with its rows; nil for none.
  var comparisonInterval: Double? { get }
  /// A function that compares a collection as it is shown with its rows, for any thread. It delays nobody, and may take
  /// minutes. It returns nil if it can't compare them now.
  func comparer(
    of info: CollectionInfo, _ index: FeatureIndex
  ) -> @Sendable () throws -> StoreComparison?
  /// Reads features again that were changed past the store, in a transaction, and makes a version of that: the changes
  /// that lead there. Nil if there are none.
  ///
  /// - Parameter isShown: tells whether a feature is shown as a record says, or isn't shown if there is none.
  func reread(
    _ features: [FeatureID], of id: String, isShown: (FeatureID, FeatureRecord?) -> Bool
  ) throws(StoreError) -> (info: CollectionInfo, changes: [FeatureChange])?
  /// Has features of an attached collection read again, as their time is over.
  func recheck(_ features: [FeatureID], of info: CollectionInfo) throws(StoreError)
}

/// The result of comparing a collection as it is shown with its rows in a shared store.
public struct StoreComparison: Sendable {
  /// The collection, as it was shown.
  public let info: CollectionInfo
  /// Features that differ, or are in one place only.
  public let features: [FeatureID]
  /// Whether those are all; otherwise there may be more.
  public let isComplete: Bool
  /// The number of features that were compared here, and in the store.
  public let counts: (shown: Int, stored: Int)

  /// Whether both are the same.
  public var isSame: Bool { features.isEmpty && counts.shown == counts.stored }
}
