import Glibc

/// A thread of low priority: it gets the processors when others leave them idle.
public enum BackgroundThread {
  /// Runs a body on a thread of its own, which ends with the body.
  ///
  /// - Parameter niceness: how far the thread's priority is lowered; see nice(2).
  /// - Returns: false if the system can't start a thread.
  public static func start(niceness: Int32, _ body: @escaping @Sendable () -> Void) -> Bool {
    let thread = startJoinable(niceness: niceness, body)
    thread?.detach()
    return thread != nil
  }

  /// Does the same, and returns the thread, which must be joined or detached; nil if the system can't start it.
  public static func startJoinable(
    niceness: Int32, _ body: @escaping @Sendable () -> Void
  ) -> SystemThread? {
    SystemThread {
      // On Linux this sets the priority of the calling thread only. If it fails, the priority stays.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
      body()
    }
  }
}
