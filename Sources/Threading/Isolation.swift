import Dispatch
import Glibc

/// Where an object that isn't thread-safe may be used. It is checked in debug builds only.
public enum Isolation: Sendable {
  /// Anywhere, as long as no other thread uses the object at the same time.
  case unchecked
  /// On the thread that the object was made on.
  case thread(pthread_t)
  /// On a serial queue.
  case queue(DispatchQueue)

  /// The calling thread.
  public static var currentThread: Isolation { .thread(pthread_self()) }

  /// Stops the program if the caller is elsewhere; does nothing in release builds.
  @inline(__always)
  public func check() {
    #if DEBUG
      switch self {
      case .unchecked: break
      case .thread(let thread):
        precondition(pthread_equal(thread, pthread_self()) != 0, "used on another thread")
      case .queue(let queue): dispatchPrecondition(condition: .onQueue(queue))
      }
    #endif
  }
}
