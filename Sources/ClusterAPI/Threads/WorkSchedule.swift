/// The decisions of ``WorkTurns``: which jobs have a turn, which wait for one, and which end unworked.
///
/// It knows no threads and no clocks: each event comes with its time and leaves orders, which are carried out after it. So
/// tests can try any order of events.
struct WorkSchedule: Sendable {
  /// An action to take after an event.
  enum Order: Sendable {
    /// A thread has to call ``begin()``.
    case begin
    /// The thread of a job that has begun has to go on with it.
    case goOn(Job)
    /// A job that hasn't begun has failed.
    case fail(Job, Job.Failure)
    /// ``look(at:)`` has to be called in a while.
    case look
    /// Nothing has ended in a lane for too long, though work waits there. It is told once.
    case stuck(WorkQueue.Lane)
    /// The threads have to end.
    case end
  }

  /// The next state of a job that offers its turn.
  enum Next { case goOn, wait, restart }

  /// Quick work, or long work.
  struct Lane: Sendable {
    var waiting: FairQueue<Job>
    /// The jobs that have a turn, and those that were begun.
    var running = 0
    var begun = 0
    /// When the last job ended, or the lane got work after it had none.
    var lastEnd: UInt = 0
    var isStuck = false

    var isIdle: Bool { begun == 0 && waiting.isEmpty }
  }

  /// The length of a turn, in nanoseconds.
  static let slice: UInt = 1_000_000
  /// How long a job may work and still be quick, in nanoseconds of processor time.
  static let mostQuick: UInt = 10_000_000

  /// The places of the lanes.
  private static let (quick, long) = (0, 1)

  /// The turns of each lane. All but one may be had by the other lane.
  let turns: Int
  /// The most jobs that are begun at a time, each of which keeps a thread until its end, and those of one lane.
  let (threads, most): (Int, Int)
  /// How long nothing may have ended in a lane with work, in nanoseconds.
  private let patience: UInt
  private(set) var lanes: [Lane]
  /// The jobs that threads are to begin.
  private var ready: [Job] = []
  private var orders: [Order] = []
  /// The number of jobs that were begun.
  private var count: UInt = 0
  private var isLookedAt = false
  private var (isClosed, hasEnded) = (false, false)

  /// A schedule without jobs.
  ///
  /// - Parameters:
  ///   - turns: the most jobs of a lane that work at a time while others wait.
  ///   - patience: the nanoseconds after which a lane where work waits and nothing ends is stuck.
  ///   - capacity: the most jobs that may wait to be begun in a lane.
  init(turns: Int, patience: UInt, capacity: Int = 1000) {
    (self.turns, self.patience) = (turns, patience)
    let lane = Lane(waiting: FairQueue(capacity: capacity, quantum: WorkSchedule.slice))
    lanes = [lane, lane]
    most = 2 * turns + 2
    threads = most + 4
  }

  // MARK: Figures

  private var running: Int { lanes[0].running + lanes[1].running }
  /// The number of jobs that were begun and have not ended.
  var begun: Int { lanes[0].begun + lanes[1].begun }
  var isIdle: Bool { lanes[0].isIdle && lanes[1].isIdle }
  /// The lane in which nothing has ended for too long, though work waited there; nil if there is none.
  var stuck: WorkQueue.Lane? {
    lanes.firstIndex { $0.isStuck }.map { $0 == WorkSchedule.long ? .long : .quick }
  }

  /// Takes the orders.
  mutating func takeOrders() -> [Order] {
    defer { orders = [] }
    return orders
  }

  // MARK: Events

  /// A job comes. If too many wait, the newest of a client with most of them is refused.
  mutating func enqueue(_ job: Job, at now: UInt) {
    add(job, at: now)
    giveTurns()
  }

  /// A thread takes a job that has a turn; nil if there is none.
  mutating func begin() -> Job? { ready.popLast() }

  /// A turn has lasted a while: the job goes on if no other waits, or waits for its next one. One that isn't as quick as
  /// it was thought to be is long from now on; if no more long ones may be begun, it has to end and begin again later.
  ///
  /// - Parameters:
  ///   - used: the processor time of its turn, in nanoseconds.
  ///   - worked: that of all its turns.
  mutating func offerTurn(_ job: Job, used: UInt, worked: UInt, at now: UInt) -> Next {
    if !job.isLong, worked >= WorkSchedule.mostQuick {
      // Jobs that wait to be begun come before it.
      let long = lanes[WorkSchedule.long]
      guard long.begun + long.waiting.count < most else { return .restart }
      leave(job, used)
      end(in: WorkSchedule.quick, at: now)
      job.isLong = true
      noteWork(in: WorkSchedule.long, at: now)
      lanes[WorkSchedule.long].begun += 1
    } else if lanes[0].waiting.isEmpty, lanes[1].waiting.isEmpty {
      return .goOn
    } else {
      leave(job, used)
    }
    goOn(job)
    return .wait
  }

  /// A job gives up its turn as it is blocked.
  mutating func pause(_ job: Job, used: UInt) {
    leave(job, used)
    giveTurns()
  }

  /// A job without a turn waits for one.
  mutating func goOn(_ job: Job) {
    lanes[lane(of: job)].waiting.putBack(job, job.number, of: job.client)
    giveTurns()
  }

  /// A job has ended, or has to begin again as a long one.
  mutating func end(_ job: Job, used: UInt, mustRestart: Bool, at now: UInt) {
    leave(job, used)
    end(in: lane(of: job), at: now)
    if mustRestart {
      job.becomeLong(at: now)
      add(job, first: true, at: now)
    }
    giveTurns()
    endIfDone()
  }

  /// Ends what waits in vain: jobs whose time is up, or whose clients have gone. Those that were begun get a turn at
  /// once, beyond the others, to find that out.
  mutating func look(at now: UInt) {
    for lane in lanes.indices {
      let (new, begun) = lanes[lane].waiting.remove { $0.failure(at: now) }
      for (job, failure) in new { orders.append(.fail(job, failure)) }
      for job in begun { give(job) }
      if lanes[lane].isIdle {
        lanes[lane].isStuck = false
      } else if !lanes[lane].isStuck, !lanes[lane].waiting.isEmpty,
        now - min(now, lanes[lane].lastEnd) >= patience
      {
        lanes[lane].isStuck = true
        orders.append(.stuck(lane == WorkSchedule.long ? .long : .quick))
      }
    }
    isLookedAt = false
    lookSoon()
    endIfDone()
  }

  /// No more jobs come. Waiting ones are still done.
  mutating func close() {
    isClosed = true
    endIfDone()
  }

  // MARK: Turns

  private func lane(of job: Job) -> Int { job.isLong ? WorkSchedule.long : WorkSchedule.quick }

  private mutating func add(_ job: Job, first: Bool = false, at now: UInt) {
    let lane = lane(of: job)
    noteWork(in: lane, at: now)
    let refused = lanes[lane].waiting.append(job, of: job.client, first: first)
    if let refused { orders.append(.fail(refused, .refused)) }
    lookSoon()
  }

  /// Notes that a lane gets work.
  private mutating func noteWork(in lane: Int, at now: UInt) {
    if lanes[lane].isIdle { lanes[lane].lastEnd = now }
  }

  private mutating func lookSoon() {
    guard !isLookedAt, !isIdle else { return }
    isLookedAt = true
    orders.append(.look)
  }

  /// Ends a job's turn.
  private mutating func leave(_ job: Job, _ used: UInt) {
    let lane = lane(of: job)
    lanes[lane].running -= 1
    lanes[lane].waiting.settle(job.client, used: used)
  }

  /// Notes that a job has left a lane.
  private mutating func end(in lane: Int, at now: UInt) {
    lanes[lane].begun -= 1
    (lanes[lane].lastEnd, lanes[lane].isStuck) = (now, false)
  }

  private mutating func endIfDone() {
    guard isClosed, !hasEnded, isIdle else { return }
    hasEnded = true
    orders.append(.end)
  }

  /// Gives the free turns to what waits.
  private mutating func giveTurns() {
    while running <= turns {
      // Quick work goes first, but each lane has a turn that the other never gets.
      let first = lanes[WorkSchedule.quick].running < turns ? WorkSchedule.quick : WorkSchedule.long
      guard let job = next(in: first) ?? next(in: 1 - first) else { return }
      give(job)
    }
  }

  /// Takes the next job of a lane; nil if it may not work now.
  private mutating func next(in lane: Int) -> Job? {
    guard lane == WorkSchedule.quick || lanes[lane].running < turns else { return nil }
    // A begun job has its thread; a new one needs a free thread.
    return lanes[lane].waiting.popFirst(mayBegin: begun < threads && lanes[lane].begun < most)
  }

  private mutating func give(_ job: Job) {
    let lane = lane(of: job)
    lanes[lane].running += 1
    if job.number > 0 { return orders.append(.goOn(job)) }
    lanes[lane].begun += 1
    count += 1
    job.number = count
    // The last is taken first, but none waits: there are as many threads as jobs that may be begun.
    ready.append(job)
    orders.append(.begin)
  }
}
