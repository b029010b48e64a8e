import Threading

/// Threads of low priority for answers that would keep an event loop from its other connections for too long.
/// ``WorkTurns`` schedules them.
final class WorkQueue: Sendable {
  /// The kinds of work that leave the event loops: quick work, reading a large write, or long work.
  enum Lane: String, CaseIterable {
    case quick, write, long

    /// The message if work waits and none has ended for twice the time that it may take.
    var ifStuck: String {
      "\(rawValue) work is stuck: some waits, and none has ended for twice the time that it may take"
    }
  }

  /// How far the threads' priority is lowered; see nice(2).
  private static let niceness: Int32 = 10

  /// The state that the threads share, which lives until the last of them has ended.
  private let turns: WorkTurns

  /// Creates a queue with some turns for long jobs and for quick ones, and one more.
  ///
  /// - Parameters:
  ///   - patience: the nanoseconds after which a lane is stuck, where work waits and nothing ends.
  ///   - report: is called with a lane that is, once.
  init(
    turns count: Int, patience: UInt = .max, report: @escaping @Sendable (Lane) -> Void = { _ in }
  ) {
    let turns = WorkTurns(count, patience: patience, report: report)
    self.turns = turns
    for _ in 0..<turns.threads {
      // This happens at start-up only, before any request was accepted.
      guard BackgroundThread.start(niceness: WorkQueue.niceness, turns.work) else {
        Shortage.end("no thread could be started")
      }
    }
  }

  deinit { turns.close() }

  /// The lane in which nothing has ended for too long, though work waited there; nil if there is none.
  var stuck: Lane? { turns.stuck }

  /// Runs a job soon. If too much is waiting, the newest of a client with most of it is refused.
  func enqueue(_ job: Job) { turns.enqueue(job) }
}
