import ClusterCore

/// What becomes of the store: of its index files, its place and its connection.
public enum StoreEvent: Sendable {
  /// One was read, with the number of features that have changed since it was written.
  case read(collection: String, changes: Int)
  /// One was written.
  case written(collection: String, seconds: Double)
  /// One can't be used; the index was made of the rows instead.
  case unusable(collection: String, reason: String)
  /// Rows or pages of the database were found damaged after the start. What is served isn't.
  case damaged(reason: String)
  /// One couldn't be written, so the next start takes longer.
  case failed(collection: String, reason: String)

  /// The data directory has been removed or replaced, or is back.
  case place(isLost: Bool)

  /// The connection to the database was lost.
  case storeLost(reason: String)
  /// There is a connection again.
  case storeBack
  /// There is no memory for what others have written to a collection, so that it is shown as it was before.
  case behind(collection: String)
  /// A collection was loaded, as others had created or changed it too much to follow.
  case loadedAnew(collection: String)

  /// What is shown of a collection isn't what the store holds: features differ, or their numbers.
  case drift(
    collection: String, version: Int64, features: [FeatureID], shown: Int, stored: Int)

  /// A function that is told of events, on any thread.
  public typealias Report = @Sendable (StoreEvent) -> Void
}
