import Glibc

/// A clock that never goes back.
public enum MonotonicTime {
  /// Nanoseconds since some moment.
  public static var now: UInt { ClockReading.nanoseconds(of: CLOCK_MONOTONIC) }
}
