import ClusterCore

/// The index of a collection as a start has loaded it.
public struct LoadedIndex: Sendable {
  /// The index, without features that have expired.
  public let index: FeatureIndex
  /// The number of rows of features that have expired.
  public let expired: Int
  /// The number of changes since the index file was written; nil if all features were read from the database.
  public let changes: Int?
  /// Why the index file could not be used; nil if it was, or if there is none.
  public let fault: String?
}
