import ClusterCore

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
