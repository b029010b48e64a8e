/// Where a cluster is drawn.
public enum ClusterPosition: String, Sendable, CaseIterable {
  /// At the mean latitude and mean longitude of its features.
  case centerOfMass
  /// At its feature nearest to the cell's centre, in map points.
  case nearCenter
  /// At the cell's centre.
  case cellCenter
  /// At its first feature in index order.
  case first
}
