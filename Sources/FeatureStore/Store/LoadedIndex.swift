import ClusterCore

/// A collection's index, as a start has made it.
public struct LoadedIndex: Sendable {
  /// The index, without what has expired.
  public let index: FeatureIndex
  /// How many features have expired whose rows are still there.
  public let expired: Int
  /// How many features were read from the database because they changed after the index was stored; nil
  /// if all were read.
  public let changes: Int?
  /// Why a stored index could not be used; nil if there was none, or if it was.
  public let fault: String?
}
