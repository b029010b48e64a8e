import Threading

/// The time at which something that fails is tried again: after a pause, which doubles with each failure up to the longest.
/// Times are those of a monotonic clock, in nanoseconds.
struct Backoff {
  private let shortest, longest: UInt
  /// When it is tried next.
  private var next: UInt = 0
  /// How long it rests after the next failure.
  private(set) var pause: UInt

  init(from shortest: UInt, to longest: UInt) {
    (self.shortest, self.longest, pause) = (shortest, longest, shortest)
  }

  /// Whether it may be tried.
  func isDue(at now: UInt) -> Bool { now >= next }

  /// Takes note of a failure just now.
  ///
  /// - Parameter least: the shortest rest.
  mutating func fail(least: UInt = 0) {
    next = MonotonicTime.now + max(pause, least)
    pause = min(pause * 2, longest)
  }

  /// Makes the pauses short again.
  mutating func succeed() { pause = shortest }

  /// Has it tried at once.
  mutating func hurry() { next = 0 }
}
