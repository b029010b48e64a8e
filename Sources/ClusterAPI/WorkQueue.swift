import Dispatch
import Glibc
import Threading

/// Threads for answers that take longer than an event loop should wait: as many as there are
/// processors, which leave the processors to the event loops when those have something to do, and a
/// queue before them that doesn't grow for ever.
final class WorkQueue: Sendable {
  typealias Work = @Sendable () -> Void

  /// The answers that may wait.
  static let maximumWaiting = 1000
  /// How much the threads give way to others; see nice(2).
  private static let niceness: Int32 = 10

  /// What the threads share. It outlives the queue until the last of them has ended.
  private final class Desk: Sendable {
    let waiting = Locked<[Work]>([])
    /// Counts what waits, and one for each thread at the end.
    let arrivals = DispatchSemaphore(value: 0)

    /// Takes what has waited longest; nil when there will be no more.
    func next() -> Work? {
      arrivals.wait()
      return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
  }

  private let desk = Desk()
  private let threads: Int

  init() {
    threads = max(2, Processors.count)
    for _ in 0..<threads { WorkQueue.startThread(desk) }
  }

  deinit {
    // What still waits is done first.
    for _ in 0..<threads { desk.arrivals.signal() }
  }

  /// Runs a piece of work soon, unless too much is waiting.
  ///
  /// - Returns: whether it will run.
  func enqueue(_ work: @escaping Work) -> Bool {
    let isAccepted = desk.waiting.withLock { waiting in
      guard waiting.count < WorkQueue.maximumWaiting else { return false }
      waiting.append(work)
      return true
    }
    if isAccepted { desk.arrivals.signal() }
    return isAccepted
  }

  private static func startThread(_ desk: Desk) {
    let isRunning = QuietThread.start(niceness: niceness) {
      while let work = desk.next() { work() }
    }
    // At start-up, before anything was promised to anyone.
    guard isRunning else { fatalError("no thread can be had") }
  }
}
