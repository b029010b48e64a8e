import ClusterCore

/// An event of the store: of its index files, its directory or its connection.
package enum StoreEvent: Sendable {
  /// An index file was read, with the number of features that have changed since it was written.
  case read(collection: String, changes: Int)
  /// An index file was written.
  case written(collection: String, seconds: Double)
  /// An index file can't be used; the index was made of the rows instead.
  case unusable(collection: String, reason: String)
  /// Rows or pages of the database were found damaged after the start. The features in memory
  /// aren't.
  case damaged(reason: String)
  /// An index file couldn't be written, so the next start takes longer.
  case failed(collection: String, reason: String)

  /// The log of writes can't be copied into the database, and grows; or it can again.
  case log(fault: String?)
  /// The data directory has been removed or replaced, or is back.
  case place(isLost: Bool)

  /// The connection to the database was lost.
  case storeLost(reason: String)
  /// There is a connection again.
  case storeBack
  /// There is no memory for changes that other instances have made to a collection, so its last version
  /// stays.
  case behind(collection: String)
  /// A collection was loaded, because other instances had created it or changed it too much to follow.
  case loadedAnew(collection: String)

  /// A collection in memory differs from its rows in the store, in features or in their number.
  case drift(
    collection: String, version: Int64, features: [FeatureID], shown: Int, stored: Int)

  /// A function that is called with each event, on any thread.
  package typealias Report = @Sendable (StoreEvent) -> Void
}
