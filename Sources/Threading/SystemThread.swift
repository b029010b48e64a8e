import Glibc

/// A thread of the system, which whoever starts it has to join or to detach.
public struct SystemThread: @unchecked Sendable {
  // `@unchecked`: a name, which is a pointer on some systems and never looked behind.
  private let thread: pthread_t

  /// What a thread starts with.
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs a body on a thread of its own, which ends with it; nil where the system has none to give.
  public init?(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    let code = pthread_create(
      &thread, nil,
      { argument in
        // The reference that was handed over above.
        if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      return nil
    }
    self.thread = thread
  }

  /// Waits for its end.
  public func join() { pthread_join(thread, nil) }

  /// Leaves it alone.
  public func detach() { pthread_detach(thread) }
}
