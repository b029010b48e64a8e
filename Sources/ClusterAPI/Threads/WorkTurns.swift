import CHints
import Dispatch
import Threading

/// Decides which jobs work.
///
/// As many jobs work at a time as there are turns. A turn lasts a millisecond; then the job gives it to another
/// that waits, if there is one, and waits for its next turn. Who has worked least is next (see ``FairQueue``); quick
/// work goes before long work and has a turn that long work never gets, so that it doesn't even wait for what can't be interrupted. Few
/// jobs are begun, as each keeps memory until its end. What waits to be begun is bounded, too.
final class WorkTurns: Sendable {
  /// What may work next: a job that was not begun, or one that was, on its own thread.
  private enum Entry: Sendable {
    case new(Job)
    case begun(Job)

    var isBegun: Bool { if case .begun = self { true } else { false } }
  }

  private struct State: Sendable {
    var quick = FairQueue<Entry>(capacity: WorkTurns.capacity, quantum: WorkTurns.slice)
    var long = FairQueue<Entry>(capacity: WorkTurns.capacity, quantum: WorkTurns.slice)
    // The jobs that have a turn, and those that were begun, and the long ones among them.
    var (running, runningLong) = (0, 0)
    var (begun, begunLong) = (0, 0)
    /// The jobs that threads are to begin.
    var ready: [Job] = []
    /// Whether no more jobs come.
    var isClosed = false

    var isDone: Bool { isClosed && begun == 0 && quick.count + long.count == 0 }
  }

  /// The most jobs that may wait in a lane.
  private static let capacity = 1000
  /// The length of a turn, in nanoseconds.
  private static let slice: UInt = 1_000_000
  /// How long a job may work and still be quick, in nanoseconds of processor time.
  private static let quick: UInt = 10_000_000
  /// How long there must be no work before freed memory goes back to the system, and how much is worth it.
  private static let (calm, muchMemory) = (DispatchTimeInterval.seconds(2), 32 << 20)

  private let state = Locked(State())
  /// Is signalled once for each job in `ready`, and once for each thread at the end.
  private let arrivals = DispatchSemaphore(value: 0)
  private let turns: Int
  /// The most long jobs that are begun at a time.
  private let maximumLong: Int
  /// The number of threads that are needed: each job keeps its thread until its end.
  var threads: Int { maximumLong + 4 }

  /// - Parameter turns: for long jobs. There is one more for quick ones.
  init(_ turns: Int) {
    self.turns = turns
    maximumLong = 2 * turns + 2
  }

  /// Adds a job. If too much is waiting, the newest of a client with most of it is refused.
  func enqueue(_ job: Job) {
    job.enter()
    let refused = state.withLock { state in
      let refused =
        job.isLong
        ? state.long.append(.new(job), of: job.client)
        : state.quick.append(.new(job), of: job.client)
      // One that has begun has a thread that waits for it, so it stays.
      if case .begun(let other)? = refused { putBack(other, &state) }
      giveTurns(&state)
      return refused
    }
    guard case .new(let job)? = refused else { return }
    job.endWait()
    job.fail(.refused)
  }

  /// The life of a thread.
  func work() {
    var wasLast = false
    while true {
      if wasLast {
        wasLast = false
        if arrivals.wait(timeout: .now() + WorkTurns.calm) == .timedOut {
          if state.withLock({ $0.begun == 0 }) { chints_give_back_memory(WorkTurns.muchMemory) }
          continue
        }
      } else {
        arrivals.wait()
      }
      guard let job = state.withLock({ $0.ready.popLast() }) else {
        // The threads finish the jobs that still wait before they end.
        if state.withLock({ $0.isDone }) { return }
        continue
      }
      job.endWait()
      job.beginTurn()
      job.run(slice: WorkTurns.slice, offerTurn: offerTurn, pause: pause)
      state.withLock { state in
        leave(job, &state)
        state.begun -= 1
        if job.isLong { state.begunLong -= 1 }
        if job.mustRestart {
          job.becomeLong()
          job.enter()
          state.long.prepend(.new(job), of: job.client)
        }
        giveTurns(&state)
        wasLast = state.begun == 0
        if state.isDone { end() }
      }
    }
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      if state.isDone { end() }
    }
  }

  private func end() { for _ in 0..<threads { arrivals.signal() } }

  /// Gives the free turns to what waits.
  private func giveTurns(_ state: inout State) {
    while state.running <= turns {
      // Whoever was begun has a thread; for others there must be one.
      let hasThread = state.begun < threads
      if let next = state.quick.popFirst(where: { hasThread || $0.isBegun }) {
        give(next, &state)
      } else if state.runningLong < turns,
        let next = state.long.popFirst(where: {
          hasThread && state.begunLong < maximumLong || $0.isBegun
        })
      {
        give(next, &state)
      } else {
        return
      }
    }
  }

  private func give(_ entry: Entry, _ state: inout State) {
    state.running += 1
    switch entry {
    case .new(let job):
      state.begun += 1
      if job.isLong {
        state.begunLong += 1
        state.runningLong += 1
      }
      // The last is taken first, but none waits: there are as many threads as jobs that may be begun.
      state.ready.append(job)
      arrivals.signal()
    case .begun(let job):
      if job.isLong { state.runningLong += 1 }
      job.turn.signal()
    }
  }

  /// Ends a job's turn.
  private func leave(_ job: Job, _ state: inout State) {
    state.running -= 1
    if job.isLong { state.runningLong -= 1 }
    let used = job.endTurn()
    if job.isLong {
      state.long.settle(job.client, used: used)
    } else {
      state.quick.settle(job.client, used: used)
    }
  }

  /// Puts a job without a turn where it waits for the next one.
  private func wait(_ job: Job, _ state: inout State) {
    putBack(job, &state)
    giveTurns(&state)
  }

  private func putBack(_ job: Job, _ state: inout State) {
    if job.isLong {
      state.long.prepend(.begun(job), of: job.client)
    } else {
      state.quick.prepend(.begun(job), of: job.client)
    }
  }

  /// Lets others that wait go before a job. Returns whether the job isn't as quick as it was thought to be, but
  /// no long one may be begun: then it has to be begun again later, so that quick jobs find a thread.
  private func offerTurn(_ job: Job) -> Bool {
    enum Next { case goOn, wait, restart }
    let next = state.withLock { state -> Next in
      if !job.isLong, job.worked >= WorkTurns.quick {
        guard state.begunLong < maximumLong else { return .restart }
        job.isLong = true
        state.begunLong += 1
        state.runningLong += 1
      }
      guard state.quick.count + state.long.count > 0 else { return .goOn }
      leave(job, &state)
      wait(job, &state)
      return .wait
    }
    if next == .wait { awaitTurn(job, since: MonotonicTime.now) }
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
    state.withLock { state in
      leave(job, &state)
      giveTurns(&state)
    }
    body()
    state.withLock { wait(job, &$0) }
    awaitTurn(job, since: start)
    job.beginTurn()
  }
}
