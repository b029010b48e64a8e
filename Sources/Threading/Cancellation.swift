import CHints
import Glibc
import Synchronization

/// The cancellation of a thread's work, or a pause in it: its client has gone, its time is up, or another
/// client has a turn.
///
/// Loops that may take long note their work (``poll(_:)``). On a thread that is bound to nothing they never
/// stop. When work is cancelled, its loops end early, and their result has the right type but no meaning: the
/// caller that began the work must discard it (``isOver``).
public final class Cancellation: Sendable {
  /// The work between two looks, in units of about a nanosecond: much less than the millisecond that others
  /// may have to wait, and much more than a look takes.
  private static let interval = 50_000
  /// The same for work with a limit of time, which may be short.
  private static let limitedInterval = 20_000

  private let isStopped = Atomic<Bool>(false)
  private let mustStop: @Sendable () -> Bool
  private let pause: @Sendable (() -> Void) -> Void

  /// Creates a cancellation.
  ///
  /// - Parameters:
  ///   - mustStop: is called every now and then by the thread that works; it may wait.
  ///   - pause: calls its argument, which may block the thread until another one has done something.
  public init(
    mustStop: @escaping @Sendable () -> Bool,
    pause: @escaping @Sendable (() -> Void) -> Void = { $0() }
  ) {
    (self.mustStop, self.pause) = (mustStop, pause)
  }

  /// Whether the work was stopped before its end.
  public var wasStopped: Bool { isStopped.load(ordering: .acquiring) }

  /// The cancellation that the calling thread is bound to.
  static var current: Cancellation? {
    let work = chints_current_work()
    // Bound only while `run` keeps it alive.
    return work.pointee.cancellation.map {
      Unmanaged<Cancellation>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Runs a body that this may cancel, on a thread that is bound to nothing.
  ///
  /// - Parameter isHelper: whether the body is a part of work that another thread is bound to. Such a thread
  ///   stops with the other one, and never waits.
  public func run<R>(isHelper: Bool = false, _ body: () throws -> R) rethrows -> R {
    let work = chints_current_work()
    work.pointee = chints_work(
      left: Cancellation.interval, is_over: false,
      cancellation: Unmanaged.passUnretained(self).toOpaque(), is_helper: isHelper, limit: 0,
      start: 0
    )
    defer { Cancellation.release() }
    return try withExtendedLifetime(self) { try body() }
  }

  /// Runs a body that is cancelled after some processor time, or never if that is 0; returns nil if it was cancelled.
  /// This allocates nothing. A thread that is bound already stays so, without a limit of its own.
  ///
  /// The time of waiting for a processor doesn't count: work that others have kept waiting is no longer for that.
  @inlinable
  public static func run<R>(atMost nanoseconds: UInt, _ body: () throws -> R) rethrows -> R? {
    guard limit(to: nanoseconds) else { return try body() }
    defer { release() }
    do {
      let result = try body()
      return isOver ? nil : result
    } catch {
      // Cancelled work may throw because its values have no meaning.
      if isOver { return nil }
      throw error
    }
  }

  /// Does the same, and tells the processor time that was used, in nanoseconds, which takes two system calls; 0 if the
  /// thread is bound already.
  @inlinable
  public static func measure<R>(
    atMost nanoseconds: UInt, _ body: () -> R
  ) -> (result: R?, used: UInt) {
    guard limit(to: nanoseconds) else { return (body(), 0) }
    chints_current_work().pointee.start = ThreadTime.now
    defer { release() }
    let result = body()
    return (isOver ? nil : result, used)
  }

  /// Whether the calling thread's work has a limit of time.
  public static var isLimited: Bool {
    let work = chints_current_work()
    return work.pointee.cancellation == nil && work.pointee.limit > 0
  }

  /// The processor time since the beginning of work that has a limit of it, in nanoseconds; 0 until the first look.
  @usableFromInline
  static var used: UInt {
    let start = chints_current_work().pointee.start
    return start == 0 ? 0 : max(ThreadTime.now, start) - start
  }

  /// Binds the thread to a limit of time; returns false if it is bound already.
  @usableFromInline
  static func limit(to nanoseconds: UInt) -> Bool {
    let work = chints_current_work()
    guard work.pointee.cancellation == nil else { return false }
    (work.pointee.left, work.pointee.limit) = (limitedInterval, nanoseconds)
    return true
  }

  /// Runs a body that goes on to its end, as others will need its result. The thread keeps its turn, so that no
  /// more such work goes on at a time than there are turns.
  public static func uninterrupted<R>(_ body: () throws -> R) rethrows -> R {
    let work = chints_current_work()
    let before = work.pointee
    release()
    defer { work.pointee = before }
    return try body()
  }

  @usableFromInline
  static func release() {
    chints_current_work().pointee = chints_work(
      left: .max, is_over: false, cancellation: nil, is_helper: false, limit: 0, start: 0)
  }

  /// Whether the calling thread's work must stop, as ``poll(_:)`` has told it before.
  public static var isOver: Bool { chints_current_work().pointee.is_over }

  /// Notes some work, in units of about a nanosecond; returns whether the work must stop. It is a few
  /// instructions but for one call in fifty microseconds.
  @inlinable @inline(__always) @discardableResult
  public static func poll(_ units: Int) -> Bool {
    let work = chints_current_work()
    work.pointee.left &-= units
    return work.pointee.left < 0 && look()
  }

  @usableFromInline @inline(never)
  static func look() -> Bool {
    let work = chints_current_work()
    if work.pointee.is_over { return true }
    work.pointee.left = interval
    if let current {
      if work.pointee.is_helper {
        work.pointee.is_over = current.wasStopped
      } else if current.mustStop() {
        current.isStopped.store(true, ordering: .releasing)
        work.pointee.is_over = true
      }
    } else if work.pointee.limit > 0 {
      work.pointee.left = limitedInterval
      if work.pointee.start == 0 {
        work.pointee.start = max(ThreadTime.now, UInt(limitedInterval)) - UInt(limitedInterval) + 1
      }
      work.pointee.is_over = used >= work.pointee.limit
    } else {
      work.pointee.left = .max
    }
    if work.pointee.is_over { work.pointee.left = -1 }
    return work.pointee.is_over
  }

  /// Cancels work that has a limit of time at once, as it is known to take longer; returns whether it must
  /// stop.
  public static func stopIfLimited() -> Bool {
    let work = chints_current_work()
    if work.pointee.cancellation == nil, work.pointee.limit > 0 {
      (work.pointee.is_over, work.pointee.left) = (true, -1)
    }
    return work.pointee.is_over
  }

  /// Calls a body that may block until another thread has done something for which it may need a turn.
  public static func pause(_ body: () -> Void) {
    if let current, !chints_current_work().pointee.is_helper {
      current.pause(body)
    } else {
      body()
    }
  }
}
