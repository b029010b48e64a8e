import ClusterCore

/// What a published snapshot changed, for those who watch.
public enum Touched: Sendable {
  /// Where features changed, were before or are now.
  case coordinates([Coordinate])
  /// Anything may have changed.
  case everything
}
