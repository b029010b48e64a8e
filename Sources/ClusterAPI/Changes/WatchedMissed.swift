/// What a client needs that shows an earlier version.
enum WatchedMissed {
  case nothing
  case event([UInt8])
  /// What a client gets that shows nothing.
  case everything
}
