import Dispatch
import Glibc
import Threading

/// Threads of low priority, as many as there are processors, for answers that would keep an event loop
/// from its other connections for too long. The queue before them is bounded.
final class WorkQueue: Sendable {
  typealias Work = @Sendable () -> Void

  /// The most pieces of work that may wait.
  static let maximumWaiting = 1000
  /// How far the threads' priority is lowered; see nice(2).
  private static let niceness: Int32 = 10

  /// The work that waits. The threads share it, and it lives until the last of them has ended.
  private final class Backlog: Sendable {
    let waiting = Locked<[Work]>([])
    /// Is signalled once for each piece of work, and once for each thread when the queue is freed.
    let arrivals = DispatchSemaphore(value: 0)

    /// Waits for work and takes what has waited longest; nil if the queue was freed and no work is left.
    func next() -> Work? {
      arrivals.wait()
      return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
  }

  private let backlog = Backlog()
  private let threads: Int

  init() {
    threads = max(2, Processors.count)
    for _ in 0..<threads { WorkQueue.startThread(backlog) }
  }

  deinit {
    // The threads finish the work that still waits before they end.
    for _ in 0..<threads { backlog.arrivals.signal() }
  }

  /// Runs a piece of work soon.
  ///
  /// - Returns: false, and doesn't run it, if too much is waiting.
  func enqueue(_ work: @escaping Work) -> Bool {
    let isAccepted = backlog.waiting.withLock { waiting in
      guard waiting.count < WorkQueue.maximumWaiting else { return false }
      waiting.append(work)
      return true
    }
    if isAccepted { backlog.arrivals.signal() }
    return isAccepted
  }

  private static func startThread(_ backlog: Backlog) {
    let isRunning = BackgroundThread.start(niceness: niceness) {
      while let work = backlog.next() { work() }
    }
    // This happens at start-up only, before any request was accepted.
    guard isRunning else { fatalError("no thread could be started") }
  }
}
