import Glibc

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
