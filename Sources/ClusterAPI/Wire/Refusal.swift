/// Why a request or a connection was refused for the sake of the others. The raw value is the label `reason` of
/// the metric `pincluster_refused_total`; docs/operations.md has a table of the budgets behind them.
enum Refusal: String, CaseIterable, Sendable {
  /// There are too many connections.
  case connections
  /// A request's head or body arrived too slowly.
  case late
  /// Too many bytes of requests waited for their answers.
  case inputMemory = "input_memory"
  /// Too many bytes of answers waited for clients to take them.
  case outputMemory = "output_memory"
  /// A client took its answer too slowly.
  case unread
  /// A handshake of TLS failed.
  case handshake
  /// The request's head was too large.
  case headSize = "head_size"
  /// The request's body was too large.
  case bodySize = "body_size"
  /// Too much work of that kind waited.
  case queue
  /// The work for a read took too long.
  case time
  /// Too many clients watched.
  case watchers
  /// Too many reads waited for a version.
  case waits
  /// A watcher was too slow for its events.
  case slowWatcher = "slow_watcher"
  /// The views of watchers took too much memory.
  case watcherMemory = "watcher_memory"
  /// Too many bytes of writes waited.
  case writeMemory = "write_memory"
  /// A client address had more than its share of something.
  case addressShare = "address_share"
  /// It came without a key that is known, and needs one.
  case unauthorized
  /// Its key doesn't allow it.
  case forbidden
  /// Its key was used too often.
  case rate
  /// The database that the instances share couldn't be reached.
  case storeAway = "store_away"
  /// There was no memory for it.
  case memory
}
