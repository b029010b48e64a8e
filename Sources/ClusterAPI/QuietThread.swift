import Glibc

/// A thread that leaves the processors to others when those have something to do.
enum QuietThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    let niceness: Int32

    init(_ run: @escaping @Sendable () -> Void, _ niceness: Int32) {
      (self.run, self.niceness) = (run, niceness)
    }
  }

  /// Runs a body on a thread of its own, which ends with it.
  ///
  /// - Parameter niceness: how much it gives way to others; see nice(2).
  /// - Returns: whether it does; not where the system has no thread to give.
  static func start(niceness: Int32, _ body: @escaping @Sendable () -> Void) -> Bool {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Body(body, niceness))
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        // Of this thread alone, on Linux. Where it isn't allowed, all are equal.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, body.niceness)
        body.run()
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
