import ClusterCore
import Collections

/// A part of a collection that clients watch, with the events for them when the collection changes.
protocol Watched: AnyObject {
  /// The approximate memory of its state, in bytes.
  var byteCount: Int { get }
  /// Whether it has been updated at all.
  var isKnown: Bool { get }
  /// The version of the collection that the watchers show.
  var version: Int64 { get }

  /// Forgets everything, as an update was given up before its end.
  func reset()

  /// Moves on to a snapshot.
  ///
  /// - Parameters:
  ///   - invalidated: the coordinates that were changed since the version shown; nil if they aren't known.
  ///   - wantsView: whether a client shows nothing yet.
  /// - Throws: if it can't be watched any more.
  func update(
    to snapshot: CollectionSnapshot, invalidated: [Coordinate]?, wantsView: Bool
  ) throws -> WatchedUpdate

  /// The event for a client that shows an earlier version.
  ///
  /// - Parameters:
  ///   - invalidated: the coordinates that were changed since, at least one.
  ///   - snapshot: the snapshot of the last update.
  func missed(invalidated: [Coordinate], in snapshot: CollectionSnapshot) throws -> WatchedMissed
}

/// The events that an update made.
struct WatchedUpdate {
  /// The event for watchers that show the version before; nil if nothing has changed for them.
  var changes: [UInt8]?
  /// The event for clients that show nothing yet, if it was asked for.
  var view: [UInt8]?
}

/// The event for a client that shows an earlier version.
enum WatchedMissed {
  case nothing
  case event([UInt8])
  /// The whole view, as for a client that shows nothing.
  case everything
}
