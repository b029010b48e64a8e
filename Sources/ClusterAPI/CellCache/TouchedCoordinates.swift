import ClusterCore

/// Where features were before or are after the changes that led to a version of a collection.
enum TouchedCoordinates: Sendable {
  case known([Coordinate])
  /// They are too many to be listed.
  case unknown
}
