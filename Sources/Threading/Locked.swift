import Glibc

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` isn't used since its contended path is in a library that the thread sanitizer
/// doesn't see into, and is reported as a race.
///
/// `@unchecked Sendable`: `stored` is touched between lock and unlock only.
public final class Locked<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var stored: Value

  /// A lock around a value.
  public init(_ value: Value) {
    stored = value
    // A mutex must not move, so it lies on the heap.
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Calls `body` with exclusive access to the value. `body` must not lock the same value again.
  public func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&stored)
  }

  /// Does the same with a body that may take long. Whoever waits for it lets others work meanwhile; see
  /// ``Interruption/pause(_:)``.
  public func withLongLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    if pthread_mutex_trylock(mutex) != 0 { Interruption.pause { pthread_mutex_lock(mutex) } }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&stored)
  }
}
