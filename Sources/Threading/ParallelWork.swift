import CHints
import Synchronization

/// Runs calls that don't depend on each other on all processors.
public enum ParallelWork {
  /// The calls that are still to be made.
  private final class Calls: Sendable {
    let next = Atomic<Int>(0)
    let count: Int
    let body: @Sendable (Int) -> Void

    init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
      (self.count, self.body) = (count, body)
    }

    func work() {
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < count else { return }
        body(number)
      }
    }
  }

  /// The number of threads, the calling one included.
  public static var threads: Int { min(Processors.count, 8) }

  /// Calls `body` with every number below `count`, in no order, and returns when all calls have ended. All
  /// threads stop when the calling one must. Where that has a limit of time, nothing is called at all.
  public static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    if Cancellation.stopIfLimited() { return }
    let calls = Calls(count, body)
    let cancellation = Cancellation.current
    // There are fewer threads where the system can't start them.
    let others = (1..<max(1, min(threads, count))).compactMap { _ in
      SystemThread {
        if let cancellation { cancellation.run(isHelper: true, calls.work) } else { calls.work() }
      }
    }
    calls.work()
    for thread in others { thread.join() }
  }
}

/// The processors that this process may use.
public enum Processors {
  /// Their number, at least 1.
  public static let count = Int(chints_processors())
}
