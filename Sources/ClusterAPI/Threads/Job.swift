import Dispatch
import Threading

/// A piece of work for a ``WorkQueue``.
///
/// `@unchecked Sendable`: the queue's lock guards `isLong` and `number`; the other variables belong to the thread that holds
/// the job, which another thread has handed it by the same lock.
final class Job: @unchecked Sendable {
  /// Why a job isn't done, or not to its end.
  enum Failure: Equatable {
    /// The client doesn't wait for it any more.
    case abandoned
    /// It took longer than it may.
    case late
    /// Too much is waiting.
    case refused
  }

  typealias TimeNote = @Sendable (_ worked: UInt, _ isDone: Bool) -> Void

  let client: UInt64
  /// Does it, and replies.
  private let work: @Sendable () -> Void
  /// Is called instead of the work, or after the work was cancelled.
  let fail: @Sendable (Failure) -> Void
  private let isAbandoned: @Sendable () -> Bool
  /// Is told how long it has waited, in nanoseconds, each time that it may go on.
  private let noteWait: @Sendable (UInt) -> Void
  /// Is told how long it has worked, in nanoseconds of processor time, and whether that is all of it.
  private let noteTime: TimeNote
  /// When it came into the queue.
  private var queued: UInt = 0
  /// Tells which of those that were begun was begun first; 0 for one that isn't.
  var number: UInt = 0
  /// When it has to be done, by ``MonotonicTime``.
  private let deadline: UInt
  /// Whether it waits behind quick work.
  var isLong: Bool
  /// Is signalled when a job that has begun gets its next turn.
  let turn = DispatchSemaphore(value: 0)
  /// Whether it was done to its end.
  private var isDone = false
  /// Whether it was cancelled to be begun again later.
  private(set) var mustRestart = false
  /// When its turn began.
  private var turnStart: UInt = 0
  /// Its thread's processor time at that moment.
  private var workStart: UInt = 0
  /// How long it has worked in the turns that have ended, in nanoseconds of processor time, as it may have been other
  /// programs' turn meanwhile.
  private(set) var worked: UInt = 0

  /// - Parameters:
  ///   - deadline: when it has to be done; nil if it has as long as it takes.
  ///   - work: replies only if ``Cancellation/isOver`` is false at its end.
  init(
    of client: UInt64, isLong: Bool, deadline: UInt? = nil,
    isAbandoned: @escaping @Sendable () -> Bool, fail: @escaping @Sendable (Failure) -> Void,
    noteWait: @escaping @Sendable (UInt) -> Void = { _ in },
    noteTime: @escaping TimeNote = { _, _ in }, work: @escaping @Sendable () -> Void
  ) {
    (self.client, self.isLong, self.deadline) = (client, isLong, deadline ?? .max)
    (self.isAbandoned, self.fail, self.work) = (isAbandoned, fail, work)
    (self.noteWait, self.noteTime) = (noteWait, noteTime)
  }

  /// Notes that it enters the queue. Only its owner may call this.
  func enter(at now: UInt) { queued = now }

  /// Notes that it has waited until now. Only its owner or its thread may call this.
  func endWait(since start: UInt? = nil) {
    noteWait(MonotonicTime.now - (start ?? queued))
  }

  /// Notes that its turn begins. Only its thread may call this and the next function.
  func beginTurn() { (turnStart, workStart) = (MonotonicTime.now, ThreadTime.now) }

  /// Notes that its turn ends. Returns how long it has worked in it, in nanoseconds of processor time.
  func endTurn() -> UInt {
    let used = ThreadTime.now - workStart
    worked += used
    return used
  }

  /// Tells how long it has worked so far. Only its thread may call this.
  func tellTime() { noteTime(worked, isDone) }

  /// Makes it a long job that hasn't begun. Only its owner may call this.
  func becomeLong(at now: UInt) { (isLong, number, worked, queued) = (true, 0, 0, now) }

  /// The reason why it must not begin or go on; nil if it may. Only its owner may call this.
  func failure(at now: UInt) -> Failure? {
    if isAbandoned() { return .abandoned }
    return now >= deadline ? .late : nil
  }

  /// Does the work, or fails.
  ///
  /// - Parameters:
  ///   - offerTurn: is called when a turn has lasted a while; returns whether to begin again later instead.
  ///   - pause: see ``Cancellation/pause(_:)``.
  func run(
    slice: UInt, offerTurn: @escaping @Sendable (Job) -> Bool,
    pause: @escaping @Sendable (Job, () -> Void) -> Void
  ) {
    mustRestart = false
    if let failure = failure(at: MonotonicTime.now) { return fail(failure) }
    let failure = Locked<Failure?>(nil)
    let cancellation = Cancellation(
      mustStop: { [unowned self] in
        if MonotonicTime.now - turnStart >= slice, offerTurn(self) {
          mustRestart = true
          return true
        }
        guard let reason = self.failure(at: MonotonicTime.now) else { return false }
        failure.withLock { $0 = reason }
        return true
      }, pause: { [unowned self] in pause(self, $0) })
    cancellation.run(work)
    isDone = !cancellation.wasStopped
    if let reason = failure.withLock({ $0 }) { fail(reason) }
  }
}
