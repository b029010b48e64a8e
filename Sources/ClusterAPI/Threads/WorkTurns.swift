import CHints
import Dispatch
import Threading

/// Carries out the decisions of ``WorkSchedule``, with threads that each do one job after the other.
///
/// As many jobs work at a time as there are turns. A turn lasts a millisecond; then the job gives it to another
/// that waits, if there is one, and waits for its next turn. The client that has worked least is next (see ``FairQueue``).
/// Quick work goes before long work, and each has a turn that the other never gets: quick work doesn't even wait for long
/// work that can't be cancelled, and long work goes on however much quick work there is. Few jobs are begun, as each keeps
/// memory until its end. The number of waiting jobs is bounded, too, and none waits in vain: a job whose time is up or whose
/// client has gone ends in the queue.
final class WorkTurns: Sendable {
  /// How long there must be no work before freed memory goes back to the system, and how much is worth it.
  private static let (calm, muchMemory) = (DispatchTimeInterval.seconds(2), 32 << 20)
  /// The time between two looks at waiting jobs.
  private static let period = DispatchTimeInterval.milliseconds(100)

  private let schedule: Locked<WorkSchedule>
  /// Is signalled once for each job that is to be begun, and once for each thread at the end.
  private let arrivals = DispatchSemaphore(value: 0)
  private let queue = DispatchQueue(label: "pincluster.turns")
  private let report: @Sendable (WorkQueue.Lane) -> Void
  /// The number of threads that are needed: each job keeps its thread until its end.
  let threads: Int

  /// - Parameters:
  ///   - turns: for jobs of each lane, see ``WorkSchedule``.
  ///   - patience: the nanoseconds after which a lane where work waits and nothing ends is stuck.
  ///   - report: is called with such a lane, once.
  init(_ turns: Int, patience: UInt, report: @escaping @Sendable (WorkQueue.Lane) -> Void) {
    let schedule = WorkSchedule(turns: turns, patience: patience)
    (threads, self.report, self.schedule) = (schedule.threads, report, Locked(schedule))
  }

  /// Adds a job. If too much is waiting, the newest of a client with most of it is refused.
  func enqueue(_ job: Job) {
    let now = MonotonicTime.now
    job.enter(at: now)
    change { $0.enqueue(job, at: now) }
  }

  /// The lane that is stuck; nil if none is.
  var stuck: WorkQueue.Lane? { schedule.withLock { $0.stuck } }

  /// The life of a thread.
  func work() {
    var wasLast = false
    while true {
      if wasLast {
        wasLast = false
        if arrivals.wait(timeout: .now() + WorkTurns.calm) == .timedOut {
          if schedule.withLock({ $0.begun == 0 }) { chints_give_back_memory(WorkTurns.muchMemory) }
          continue
        }
      } else {
        arrivals.wait()
      }
      // The threads finish the jobs that still wait before they end.
      guard let job = schedule.withLock({ $0.begin() }) else { return }
      job.endWait()
      job.beginTurn()
      job.run(slice: WorkSchedule.slice, offerTurn: offerTurn, pause: pause)
      let used = job.endTurn()
      job.tellTime()
      wasLast = change {
        $0.end(job, used: used, mustRestart: job.mustRestart, at: MonotonicTime.now)
        return $0.begun == 0
      }
    }
  }

  /// Ends the threads once nothing waits any more. To be called once.
  func close() { change { $0.close() } }

  /// Tells the schedule of an event, and does what follows from it.
  private func change<R>(_ event: (inout WorkSchedule) -> R) -> R {
    let (result, orders) = schedule.withLock { (event(&$0), $0.takeOrders()) }
    for order in orders { carryOut(order) }
    return result
  }

  private func carryOut(_ order: WorkSchedule.Order) {
    switch order {
    case .begin: arrivals.signal()
    case .goOn(let job): job.turn.signal()
    case .fail(let job, let failure):
      job.endWait()
      job.fail(failure)
    case .look:
      // By nobody who works, as all of those may be waiting.
      queue.asyncAfter(deadline: .now() + WorkTurns.period) { [self] in
        change { $0.look(at: MonotonicTime.now) }
      }
    case .stuck(let lane): report(lane)
    case .end: for _ in 0..<threads { arrivals.signal() }
    }
  }

  /// Lets others that wait go before a job. Returns whether it has to be begun again later.
  private func offerTurn(_ job: Job) -> Bool {
    let used = job.endTurn()
    // Others of its kind needn't begin as quick work.
    if job.worked >= WorkSchedule.mostQuick { job.tellTime() }
    let start = MonotonicTime.now
    let next = change { $0.offerTurn(job, used: used, worked: job.worked, at: start) }
    if next == .wait { awaitTurn(job, since: start) }
    if next != .restart { job.beginTurn() }
    return next == .restart
  }

  /// Waits for a job's next turn.
  private func awaitTurn(_ job: Job, since start: UInt) {
    job.turn.wait()
    job.endWait(since: start)
  }

  /// Lets others work while a job is blocked.
  private func pause(_ job: Job, _ body: () -> Void) {
    let start = MonotonicTime.now
    let used = job.endTurn()
    change { $0.pause(job, used: used) }
    body()
    change { $0.goOn(job) }
    awaitTurn(job, since: start)
    job.beginTurn()
  }
}
