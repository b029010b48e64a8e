import ClusterCore
import Threading

/// A durable store of collections: writes are durable when a call returns, and the index of each collection can be
/// loaded at the start. ``SQLiteStore`` keeps them in a file, ``PostgresStore`` in a database that other instances
/// share.
///
/// A call that throws has changed nothing and leaves the store usable. One user at a time, where
/// ``isolate(to:)`` says.
public protocol FeatureStore: AnyObject {
  /// A random number that was drawn when the store was created.
  var storeID: UInt64 { get }
  /// The time by which features expire.
  var clock: WallClock { get }
  /// The counter of versions that are shown without being written, as those of collections whose features have
  /// expired. Nil if only writes change a version, as must be where other instances show the same versions.
  var unwrittenVersions: VersionCounter? { get }

  /// Sets where the store is used from now on. Debug builds check it.
  func isolate(to isolation: Isolation)
  /// Every collection, by id.
  func collections() throws(StoreError) -> [CollectionInfo]
  /// Loads the index of a collection.
  func loadIndex(of info: CollectionInfo) throws -> LoadedIndex
  /// Checks the rows that the start hasn't checked; nil if there are none.
  func verifier(ofRowsOf keys: [Int64]) -> StoreVerifier?
  /// Ends the use of the store. Every later call throws.
  func close()

  // MARK: Writing

  /// Runs `body` in one transaction, to which the writes within belong: all of them are durable when this returns,
  /// none if it throws.
  ///
  /// - Parameters:
  ///   - ids: the collections that the writes concern.
  ///   - isTentative: whether the caller repeats the transaction after a ``StoreError/conflict(reason:)``. Then a store
  ///     that others share may take the collections to be as they are shown, and finds out at the end.
  func transaction<R>(
    // Characters: ids of collections, which are of ASCII
    on ids: Set<String>, isTentative: Bool, _ body: () throws -> R
  ) throws -> R
  /// A collection that a transaction has changed, with the time that the change got when it was committed.
  func committed(_ info: CollectionInfo) -> CollectionInfo
  /// Runs a part of a transaction. If it throws, its writes are undone, and nothing else.
  func savepoint<R>(_ body: () throws -> R) throws -> R
  /// Creates a collection, or changes its description.
  func putCollection(
    _ id: String, title: ValueUpdate<String>, description: ValueUpdate<String>,
    ttl: ValueUpdate<Int64>, temporal: ValueUpdate<TemporalProperties>
  ) throws(StoreError) -> (info: CollectionInfo, created: Bool)
  /// Drops a collection. Returns the version of that, or nil if there is no such collection.
  func dropCollection(_ id: String) throws(StoreError) -> Int64?
  /// Stores the features of a batch, and creates the collection if need be. Features that need an id get one.
  ///
  /// - Parameter stored: tells whether features are there, as the transaction has left them so far.
  func upsert(
    _ batch: inout FeatureBatch, into id: String, stored: (FeatureID) -> StoredState
  ) throws(StoreError) -> UpsertResult
  /// Deletes features: the collection after that, or nil if none of them is there.
  func delete(
    _ features: [FeatureID], from id: String, stored: (FeatureID) -> StoredState
  ) throws(StoreError) -> CollectionInfo?
  /// Deletes some rows of features of collections, by key, that have expired; returns whether all are deleted.
  func removeExpired(
    from collections: [Int64], at now: Int64, atMost limit: Int
  ) throws(StoreError) -> Bool
  /// Deletes some rows of collections that were dropped; returns whether there may be more.
  func clearDropped(atMost limit: Int) throws(StoreError) -> Bool
  /// Sees to it that there are enough ``unwrittenVersions``.
  func reserveVersions() throws(StoreError)

  // MARK: The place

  /// Whether the store's files on this machine are still where they were opened.
  var isInPlace: Bool { get }
  /// Why the log of writes grows, as it can't be copied into the database; nil if it can.
  var logFault: String? { get }
  /// Keeps space for ``makingRoom(_:)``, if there is any.
  func keepReserve()
  /// Calls `body`, which deletes, with the space that was kept for that.
  func makingRoom(_ body: () -> Void)

  // MARK: Index files

  /// The state of a collection's index file.
  func indexFileState(of info: CollectionInfo) -> IndexFileState
  /// Begins an index file of a collection as it is now.
  func beginIndexFile(of info: CollectionInfo) throws(StoreError) -> IndexFileDraft
  /// Makes a complete file the one that the next start reads.
  func finishIndexFile(_ draft: IndexFileDraft) throws(StoreError)
  /// Gives up a file that was begun.
  func abandonIndexFile(_ draft: IndexFileDraft)
  /// Deletes some of the noted changes that aren't needed any more; returns whether there are more.
  func trimChanges(atMost count: Int) throws(StoreError) -> Bool
}

extension FeatureStore {
  // Characters: ids of collections, which are of ASCII
  /// Runs `body` in a transaction on collections as they are.
  ///
  /// - Throws: as ``transaction(on:isTentative:_:)``.
  public func transaction<R>(on ids: Set<String>, _ body: () throws -> R) throws -> R {
    try transaction(on: ids, isTentative: false, body)
  }

  /// Nil: there is no log.
  public var logFault: String? { nil }

  /// The same collection, as changes have no time.
  public func committed(_ info: CollectionInfo) -> CollectionInfo { info }
}

/// A change of an optional value, such as a collection's title.
public enum ValueUpdate<Value: Sendable & Equatable>: Sendable, Equatable {
  /// Leave the value as it is.
  case keep
  /// Remove the value.
  case clear
  /// Set the value.
  case set(Value)

  /// The value after the update.
  public func applied(to value: Value?) -> Value? {
    switch self {
    case .keep: value
    case .clear: nil
    case .set(let new): new
    }
  }
}

/// Whether a feature is there.
public enum StoredState: Sendable {
  /// There is no row.
  case absent
  /// There is a row of a feature that has expired.
  case expired
  case living
}

/// The outcome of writing a batch of features.
public struct UpsertResult: Sendable, Equatable {
  /// The number of features that are new.
  public let inserted: Int
  /// The number of features that replaced another one, of the collection or earlier in the batch.
  public let updated: Int
  /// The collection after the write.
  public let info: CollectionInfo
  /// Whether the write created the collection.
  public let createdCollection: Bool
}

/// The index of a collection as it was loaded.
public struct LoadedIndex: Sendable {
  /// The collection that the index is of. Where others write too it may be later than the one that was asked for.
  public let info: CollectionInfo
  /// The index, without features that have expired.
  public let index: FeatureIndex
  /// The number of rows of features that have expired.
  public let expired: Int
  /// The number of features that have changed since the index file was written; nil if all were read from the
  /// database.
  public let changes: Int?
  /// Why the index file could not be used; nil if it was, or if there is none.
  public let fault: String?
}

/// The state of a collection's index file.
public enum IndexFileState: Sendable, Equatable {
  /// The size from which on a collection gets an index file.
  public static let minimumCount = 100_000

  /// There is no file, or too much has changed since.
  case missing
  /// There is a file with which a start is quicker.
  case present
  /// A file is being written.
  case underWay
}
