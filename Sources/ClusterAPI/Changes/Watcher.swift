import Collections
import HTTPServer

/// A client that watches.
final class Watcher {
  /// Whether an event can be sent.
  enum Readiness {
    case ready
    /// The client is still reading the last event, or its stream isn't there yet.
    case busy
    /// The client has stopped reading.
    case unresponsive
  }

  /// The most bytes that wait for a client before it is sent no more.
  static let maximumPending = 1 << 20
  /// The longest time in which a client may read none of the bytes that wait for it: of several events, and of one.
  private static let (patience, patienceWithOne) = (Duration.seconds(2), Duration.seconds(5))
  /// An event counts as read when at most this many of its bytes wait, as their number is known only
  /// approximately.
  private static let slack = 4096

  /// The client's address.
  let client: UInt64
  /// The client's view of the collections, as long as its grant is valid.
  let view: CatalogView
  /// The version that the client shows once it has read all events sent.
  var version: Int64
  /// The stream; nil until the response has begun.
  var stream: ResponseStream?
  private(set) var lastSent: ContinuousClock.Instant
  private var sent = 0
  /// The bytes that the client has read of that, and when their number was last found to have grown.
  private var taken = 0
  private var lastTaken: ContinuousClock.Instant
  /// The ends of the events that the client may not have read, in bytes sent.
  private var ends: [Int] = []

  /// Creates a watcher that was sent a version in a number of bytes.
  init(
    of client: UInt64, _ view: CatalogView, version: Int64, sent: Int,
    at now: ContinuousClock.Instant
  ) {
    (self.client, self.view) = (client, view)
    self.version = version
    self.sent = sent
    ends = [sent]
    lastSent = now
    lastTaken = now
  }

  func readiness(at now: ContinuousClock.Instant) -> Readiness {
    guard let stream else { return .busy }
    let pending = stream.pendingBytes
    if sent - pending > taken { (taken, lastTaken) = (sent - pending, now) }
    ends.removeAll { $0 <= sent - pending + Watcher.slack }
    guard pending > Watcher.maximumPending else { return .ready }
    let patience = ends.count > 1 ? Watcher.patience : Watcher.patienceWithOne
    return now - lastTaken > patience ? .unresponsive : .busy
  }

  func send(_ bytes: [UInt8], at now: ContinuousClock.Instant) {
    stream?.send(bytes)
    sent += bytes.count
    ends.append(sent)
    lastSent = now
  }
}
