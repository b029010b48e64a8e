/// The limits that all watchers share.
struct WatchLimits: Sendable {
  /// The most watchers.
  var places = 1000
  /// The most watchers of one client address.
  var placesOfAddress = 250
  /// The longest time that a client waits for its first event, in seconds.
  var seconds = 10
  /// The most memory of all watched viewports, in bytes.
  var bytes = 128 << 20
}
