import ClusterCore

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
