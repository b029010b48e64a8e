import Dispatch
import Glibc
import Guards

/// Threads for answers that take longer than an event loop should wait: as many as there are
/// processors, and a queue before them that doesn't grow for ever.
final class WorkQueue: Sendable {
  typealias Work = @Sendable () -> Void

  /// The answers that may wait.
  static let maximumWaiting = 1000

  private struct State {
    var running = 0
    var waiting: [Work] = []
  }

  private let state = Guarded(State())
  private let queue = DispatchQueue(label: "pincluster.answers", attributes: .concurrent)
  private let width: Int

  init() { width = max(2, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

  /// Runs a piece of work soon, unless too much is waiting.
  ///
  /// - Returns: whether it will run.
  func enqueue(_ work: @escaping Work) -> Bool {
    let (accepted, starts) = state.withLock { state -> (Bool, Bool) in
      if state.running < width {
        state.running += 1
        return (true, true)
      }
      guard state.waiting.count < WorkQueue.maximumWaiting else {
        return (false, false)
      }
      state.waiting.append(work)
      return (true, false)
    }
    if starts { queue.async { self.run(work) } }
    return accepted
  }

  /// Runs a piece of work, then lets the next one that waits have its turn.
  private func run(_ work: Work) {
    work()
    let next = state.withLock { state -> Work? in
      if state.waiting.isEmpty {
        state.running -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    if let next { queue.async { self.run(next) } }
  }
}
