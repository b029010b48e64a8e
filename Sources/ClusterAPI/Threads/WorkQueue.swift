import Dispatch
import Glibc
import HTTPServer
import Threading

/// Threads of low priority for answers that would keep an event loop from its other connections for too
/// long. The queue before them is bounded, and its clients take turns.
final class WorkQueue: Sendable {
  /// What a request needs done away from the event loops: quick work, reading a large write, or long work. Each
  /// lane has a queue of its own, so that none waits for another.
  enum Lane { case quick, write, long }

  /// A piece of work.
  struct Job: Sendable {
    /// Does it.
    let run: @Sendable () -> Void
    /// Is called instead if the client has gone before it began.
    let abandon: @Sendable () -> Void
    /// Is called instead if too much is waiting.
    let refuse: @Sendable () -> Void
    /// Whether the client has gone.
    let isAbandoned: @Sendable () -> Bool
  }

  /// The most pieces of work that may wait.
  static let capacity = 1000
  /// How far the threads' priority is lowered; see nice(2).
  private static let niceness: Int32 = 10

  // The threads share these, which live until the last of them has ended.
  private let waiting = Locked(FairQueue<Job>(capacity: capacity))
  /// Is signalled once for each piece of work, and once for each thread when the queue is freed.
  private let arrivals = DispatchSemaphore(value: 0)
  private let threads: Int

  init(threads: Int) {
    let (waiting, arrivals) = (self.waiting, self.arrivals)
    self.threads = threads
    for _ in 0..<threads {
      let isRunning = BackgroundThread.start(niceness: WorkQueue.niceness) {
        while true {
          arrivals.wait()
          // None is left if the queue was freed.
          guard let job = waiting.withLock({ $0.popFirst() }) else { return }
          if job.isAbandoned() { job.abandon() } else { job.run() }
        }
      }
      // This happens at start-up only, before any request was accepted.
      guard isRunning else { fatalError("no thread could be started") }
    }
  }

  deinit {
    // The threads finish the work that still waits before they end.
    for _ in 0..<threads { arrivals.signal() }
  }

  /// Runs a piece of work soon. If too much is waiting, the newest of a client with most of it is refused.
  func enqueue(_ job: Job, of client: UInt64) {
    guard let refused = waiting.withLock({ $0.append(job, of: client) }) else {
      arrivals.signal()
      return
    }
    refused.refuse()
  }
}
