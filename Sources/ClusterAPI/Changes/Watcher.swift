import HTTPServer

/// A client that watches.
final class Watcher {
  /// What can be sent to it.
  enum Readiness {
    case ready
    /// Nothing now: it still takes the last event, or its stream isn't there yet.
    case busy
    /// Nothing ever: it has stopped to read.
    case unresponsive
  }

  /// The bytes that may wait for a client before it gets no more.
  static let maximumPending = 1 << 20
  /// How long it may take nothing of what waits.
  private static let patience = Duration.seconds(2)
  /// An event of which no more is missing counts as taken; what waits is known but about.
  private static let slack = 4096

  /// The version of the collection that it shows, once it has read what was sent.
  var version: Int64
  /// What it is sent by; nil until the answer has begun.
  var stream: ResponseStream?
  private(set) var lastSent: ContinuousClock.Instant
  private var sent = 0
  /// What it has taken of that, and when that was last found to be more than before.
  private var taken = 0
  private var lastTaken: ContinuousClock.Instant
  /// Where the events that it has not taken for certain end, in bytes sent.
  private var ends: [Int] = []

  /// A client that was sent a version, in so many bytes.
  init(version: Int64, sent: Int, at now: ContinuousClock.Instant) {
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
    return ends.count > 1 && now - lastTaken > Watcher.patience ? .unresponsive : .busy
  }

  func send(_ bytes: [UInt8], at now: ContinuousClock.Instant) {
    stream?.send(bytes)
    sent += bytes.count
    ends.append(sent)
    lastSent = now
  }
}
