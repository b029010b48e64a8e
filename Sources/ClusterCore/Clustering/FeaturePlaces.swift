/// Where the features of annotations are, found in the tree.
protocol FeaturePlaces: Sendable {
  /// Returns the exact bounds of a cluster's features, or nil if more than `limit` are on their edges.
  func exactBounds(of cluster: Annotation, atMost limit: Int) -> GeoBounds?

  /// Returns the convex hull of a cluster's features; nil if it has none.
  func hull(of cluster: Annotation) -> Hull?
}
