import Glibc

/// A value behind a mutex, for tests that share a little state between threads.
///
/// A pthread mutex, because the thread sanitizer doesn't see into the standard library's.
/// `@unchecked Sendable`: the value is touched between lock and unlock only.
public final class Locked<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var guarded: Value

  /// Holds a value.
  public init(_ value: Value) {
    guarded = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// The value now.
  public var value: Value { withLock { $0 } }

  /// Calls with exclusive access.
  public func withLock<Result: Sendable>(_ body: (inout Value) throws -> Result) rethrows -> Result
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&guarded)
  }
}
