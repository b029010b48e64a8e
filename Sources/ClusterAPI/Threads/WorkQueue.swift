import Threading

/// Threads of low priority for answers that would keep an event loop from its other connections for too long.
/// ``WorkTurns`` decides who works when.
final class WorkQueue: Sendable {
  /// What a request needs done away from the event loops: quick work, reading a large write, or long work.
  enum Lane: String, CaseIterable {
    case quick, write, long

    /// The place in `allCases`.
    var place: Int {
      switch self {
      case .quick: 0
      case .write: 1
      case .long: 2
      }
    }
  }

  /// How far the threads' priority is lowered; see nice(2).
  private static let niceness: Int32 = 10

  /// What the threads share, which lives until the last of them has ended.
  private let turns: WorkTurns

  /// Creates a queue with some turns for long jobs, and one more for quick ones.
  init(turns count: Int) {
    let turns = WorkTurns(count)
    self.turns = turns
    for _ in 0..<turns.threads {
      // This happens at start-up only, before any request was accepted.
      guard BackgroundThread.start(niceness: WorkQueue.niceness, turns.work) else {
        Shortage.end("no thread could be started")
      }
    }
  }

  deinit { turns.close() }

  /// Runs a job soon. If too much is waiting, the newest of a client with most of it is refused.
  func enqueue(_ job: Job) { turns.enqueue(job) }
}
