import Glibc

/// Reads the system's clocks.
enum ClockReading {
  static func nanoseconds(of clock: clockid_t) -> UInt {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt(time.tv_sec) * 1_000_000_000 + UInt(time.tv_nsec)
  }
}
