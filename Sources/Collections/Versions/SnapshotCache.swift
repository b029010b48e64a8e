import ClusterCore

/// Results that are kept between reads of a collection, as long as its features don't change. The versions of a collection
/// share one cache: they follow each other in one line, and each says at which coordinates it differs from the one before.
package protocol SnapshotCache: AnyObject, Sendable {
  /// An empty one of the same kind, for another collection.
  func another() -> any SnapshotCache

  /// Drops the results that a version has made invalid, before that version is shown. Versions come one after the other.
  ///
  /// - Parameter touched: the coordinates where features were before or are now; nil if they aren't known.
  func invalidate(_ touched: [Coordinate]?, at version: Int64)
}
