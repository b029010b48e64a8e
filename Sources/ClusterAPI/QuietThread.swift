import Glibc
import Threading

/// A thread that leaves the processors to others when those have something to do.
enum QuietThread {
  /// Runs a body on a thread of its own, which ends with it.
  ///
  /// - Parameter niceness: how much it gives way to others; see nice(2).
  /// - Returns: whether it does; not where the system has no thread to give.
  static func start(niceness: Int32, _ body: @escaping @Sendable () -> Void) -> Bool {
    let thread = SystemThread {
      // Of this thread alone, on Linux. Where it isn't allowed, all are equal.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
      body()
    }
    thread?.detach()
    return thread != nil
  }
}
