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

  // The threads share these, which live until the last of them has ended.
  private let waiting = Locked<[Work]>([])
  /// Is signalled once for each piece of work, and once for each thread when the queue is freed.
  private let arrivals = DispatchSemaphore(value: 0)
  private let threads = max(2, Processors.count)

  init() {
    let (waiting, arrivals) = (self.waiting, self.arrivals)
    for _ in 0..<threads {
      let isRunning = BackgroundThread.start(niceness: WorkQueue.niceness) {
        while true {
          arrivals.wait()
          // None is left if the queue was freed.
          guard let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
          work()
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

  /// Runs a piece of work soon, or returns false if too much is waiting.
  func enqueue(_ work: @escaping Work) -> Bool {
    let isAccepted = waiting.withLock { waiting in
      guard waiting.count < WorkQueue.maximumWaiting else { return false }
      waiting.append(work)
      return true
    }
    if isAccepted { arrivals.signal() }
    return isAccepted
  }
}
