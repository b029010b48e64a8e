/// The event for a client that shows an earlier version.
enum WatchedMissed {
  case nothing
  case event([UInt8])
  /// The whole view, as for a client that shows nothing.
  case everything
}
