import Glibc

/// A clock that never goes back.
public enum MonotonicTime {
  /// Nanoseconds since some moment.
  public static var now: UInt { nanoseconds(of: CLOCK_MONOTONIC) }
}

/// A clock that never goes back, and that goes on while the machine sleeps.
public enum BootTime {
  /// Nanoseconds since the machine was started.
  public static var now: UInt { nanoseconds(of: CLOCK_BOOTTIME) }
}

/// The processor time of the calling thread.
public enum ThreadTime {
  /// Nanoseconds for which it has worked. A system call, unlike ``MonotonicTime/now``.
  public static var now: UInt { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }
}

/// The clock of the machine, which can be set.
public enum SystemTime {
  /// Microseconds since 1970 (UTC); 0 if there are too many.
  public static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let (whole, isTooLate) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000)
    let (now, isOver) = whole.addingReportingOverflow(Int64(time.tv_nsec) / 1000)
    return isTooLate || isOver ? 0 : now
  }
}

private func nanoseconds(of clock: clockid_t) -> UInt {
  var time = timespec()
  clock_gettime(clock, &time)
  return UInt(time.tv_sec) * 1_000_000_000 + UInt(time.tv_nsec)
}
