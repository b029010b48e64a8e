import Glibc

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` isn't used since its contended path is in a library that the thread sanitizer
/// doesn't see into, and is reported as a race.
///
/// `@unchecked Sendable`: `stored` is accessed between lock and unlock only.
public final class Locked<Value: Sendable>: @unchecked Sendable {
  // Neither may move, so they lie on the heap.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let stored: UnsafeMutablePointer<Value>

  /// A lock around a value.
  public init(_ value: Value) {
    stored = .allocate(capacity: 1)
    stored.initialize(to: value)
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deinitialize(count: 1)
    mutex.deallocate()
    stored.deinitialize(count: 1)
    stored.deallocate()
  }

  /// Calls `body` with exclusive access to the value. `body` must not lock the same value again.
  @inlinable
  public func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&stored.pointee)
  }

  /// Does the same with a body that may take long. A waiting thread gives up its turn meanwhile; see
  /// ``Cancellation/pause(_:)``.
  public func withLongLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    if pthread_mutex_trylock(mutex) != 0 { Cancellation.pause { pthread_mutex_lock(mutex) } }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&stored.pointee)
  }

  /// Does the same, but doesn't wait where time is limited (``Cancellation/run(atMost:_:)``), as the thread that has the
  /// lock may have to wait for a turn: the work is cancelled then.
  ///
  /// - Parameter otherwise: is called instead, and makes a result of the right type.
  public func withLongLock<R>(
    otherwise: () throws -> R, _ body: (inout Value) throws -> R
  ) rethrows -> R {
    guard pthread_mutex_trylock(mutex) != 0 else {
      defer { pthread_mutex_unlock(mutex) }
      return try body(&stored.pointee)
    }
    return try Cancellation.stopIfLimited() ? otherwise() : withLongLock(body)
  }
}
