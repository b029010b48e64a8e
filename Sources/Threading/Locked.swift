import Glibc

/// A value behind a pthread mutex.
///
/// Not `Synchronization.Mutex`: its contended path is inside a library that the thread sanitizer
/// does not see into, and is reported as a race.
///
/// `@unchecked Sendable`: `stored` is touched between lock and unlock only. Use with Sendable values.
public final class Locked<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var stored: Value

  /// Holds a value.
  public init(_ value: Value) {
    stored = value
    // On the heap, for a mutex must not move.
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
  }

  /// Calls `body` with exclusive access to the value. It must not lock again.
  public func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&stored)
  }
}
