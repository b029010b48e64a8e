import Glibc

/// A clock that never goes back.
public enum MonotonicTime {
  /// Nanoseconds since some moment.
  public static var now: UInt {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt(time.tv_sec) * 1_000_000_000 + UInt(time.tv_nsec)
  }
}
