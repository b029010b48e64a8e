import Glibc

/// A counting semaphore whose waits may end after a time.
///
/// One of libdispatch waits until a moment of the machine's clock. If that is set back meanwhile, by an hour say, the wait
/// takes an hour longer. This one goes by ``MonotonicTime``.
public final class TimedSemaphore: @unchecked Sendable {
  // `@unchecked`: the count is used by the owner of the mutex only, and the pointers never change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var count = 0

  /// Creates a semaphore that the first wait finds taken.
  public init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Ends a wait, or else the next one before it begins.
  public func signal() {
    pthread_mutex_lock(mutex)
    count += 1
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits for a signal.
  ///
  /// - Parameter seconds: after which it ends in any case; nil for never.
  /// - Returns: whether there was a signal.
  @discardableResult
  public func wait(atMost seconds: Double? = nil) -> Bool {
    // No longer than thirty years.
    let deadline = seconds.map { MonotonicTime.now + UInt(min(max($0, 0), 1e9) * 1e9) }
    var moment = timespec()
    if let deadline {
      moment.tv_sec = Int(deadline / 1_000_000_000)
      moment.tv_nsec = Int(deadline % 1_000_000_000)
    }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while count == 0 {
      let code =
        deadline == nil
        ? pthread_cond_wait(condition, mutex) : pthread_cond_timedwait(condition, mutex, &moment)
      // A signal may have come at the last moment.
      if code == ETIMEDOUT, count == 0 { return false }
    }
    count -= 1
    return true
  }
}
