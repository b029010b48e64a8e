/// Follows tables that aren't the store's. Their triggers note changes in `pending`, where transactions need not wait for
/// each other. From there an instance moves it to `changes`, as a version, by which all instances read it.
///
/// One instance looks for that all the time, the others once a second, lest it has stopped.
struct AttachedFollowing {
  /// The connection that all else is about.
  weak var connection: PostgresConnection?
  /// Whether this instance is the one.
  var isTaker = false
  /// Everything from transactions before this one has been taken over.
  var horizon = "0"
  /// When collections that couldn't be read are tried again, and how long to wait after that, in nanoseconds.
  var retries: [Int64: (time: UInt, pause: UInt)] = [:]
}
