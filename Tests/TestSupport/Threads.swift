import Threading

/// Threads of a test, as many as it asks for, whatever the number of cores.
public enum Threads {
  /// Runs `body` on `count` threads at a time, with the thread's number, and waits for all of them.
  ///
  /// What goes wrong there must be handed over and judged by the caller: an expectation that fails on
  /// a thread of its own belongs to no test.
  public static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { number in start { body(number) } }
    for thread in threads { thread.join() }
  }

  /// Runs `body` on a thread of its own, to be joined.
  public static func start(_ body: @escaping @Sendable () -> Void) -> SystemThread {
    guard let thread = SystemThread(body) else { preconditionFailure("no thread can be had") }
    return thread
  }
}
