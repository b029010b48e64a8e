import Glibc

/// The processor time of the calling thread.
public enum ThreadTime {
  /// Nanoseconds for which it has worked. A system call, unlike ``MonotonicTime/now``.
  public static var now: UInt { ClockReading.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }
}
