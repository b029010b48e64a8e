/// The events that an update made.
struct WatchedUpdate {
  /// The event for watchers that show the version before; nil if nothing has changed for them.
  var changes: [UInt8]?
  /// The event for clients that show nothing yet, if it was asked for.
  var view: [UInt8]?
}
