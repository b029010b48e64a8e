import Glibc

/// A POSIX thread. Its starter has to join or detach it.
public struct SystemThread: @unchecked Sendable {
  // `@unchecked`: the handle is an integer on Linux and an opaque pointer elsewhere.
  private let thread: pthread_t

  /// The argument of the thread's start routine.
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread, which ends with it. Nil if the system can't start a thread.
  public init?(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    let code = pthread_create(
      &thread, nil,
      { argument in
        // Balances the `passRetained` above.
        if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      return nil
    }
    self.thread = thread
  }

  /// Waits until the thread ends.
  public func join() { pthread_join(thread, nil) }

  /// Lets the thread free its resources when it ends.
  public func detach() { pthread_detach(thread) }
}
