import Glibc

/// Threads of a test, as many as it asks for, whatever the number of cores.
public enum Threads {
  /// What a thread starts with.
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on `count` threads at a time, with the thread's number, and waits for all of them.
  ///
  /// What goes wrong there must be handed over and judged by the caller: an expectation that fails on
  /// a thread of its own belongs to no test.
  public static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    var threads: [pthread_t] = []
    for number in 0..<count {
      var thread = pthread_t()
      let start = Unmanaged.passRetained(Start { body(number) })
      let result = pthread_create(
        &thread, nil,
        { argument in
          // The reference that was handed over above.
          if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
          return nil
        }, start.toOpaque())
      precondition(result == 0, "no thread to be had: \(result)")
      threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
  }
}
