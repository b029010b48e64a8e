import Threading

/// The handler's notes on its work for a request, for the log and the metrics. The server itself doesn't use them.
///
/// Times are in nanoseconds.
public struct RequestNotes: Sendable {
  /// The number of the resource that the path names; nil if it names none.
  public var route: Int?
  /// The queue that it was in, if it was in one.
  public var lane: String?
  /// When it first came into a queue, on a monotonic clock; how long it waited for its turns; and how long it had them.
  public var (enqueued, waited, worked): (UInt, UInt, UInt) = (0, 0, 0)
  /// How long it waited for a version of a collection.
  public private(set) var awaited: UInt = 0
  /// The estimated time of the work; 0 if there is no estimate.
  public var estimate = 0.0
  /// The times of a write: how long it waited for the writer, and how long the transaction took until it was committed, and
  /// the commit, with which it was on disk; and the number of writes in the transaction.
  public var write: (waited: UInt, applied: UInt, committed: UInt, group: Int)?
  /// Why it was refused, if it was.
  public var refusal: String?
  /// Why it failed, if that was the service's fault, which its client isn't told.
  public var failure: String?
  /// The shape of the body: its fields without values.
  public var shape: String?

  /// Notes that it comes into a queue, perhaps after it was in another one.
  public mutating func enter(_ lane: String) {
    self.lane = lane
    if enqueued == 0 { enqueued = MonotonicTime.now }
  }

  /// Notes that it waited for a version. That isn't work, even if it was in a queue before.
  public mutating func endWait(of time: UInt) {
    awaited += time
    if enqueued > 0 { enqueued += time }
  }

  /// Notes that the work which a queue was for has ended, if there was any. Only the first call has an effect.
  public mutating func endWork() {
    guard enqueued > 0, worked == 0 else { return }
    let time = MonotonicTime.now - enqueued
    worked = max(time - min(waited, time), 1)
  }
}
