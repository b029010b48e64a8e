import Synchronization

/// Pieces of work that don't depend on each other, done on all processors.
public enum ParallelWork {
  private final class Desk: Sendable {
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

  /// How many threads there are.
  public static var threads: Int { min(Processors.count, 8) }

  /// Calls `body` with every number below `count`, in no order; returns when all is done.
  public static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let desk = Desk(count, body)
    // Where the system has no thread to give there are fewer.
    let others = (1..<max(1, min(threads, count))).compactMap { _ in
      SystemThread { desk.work() }
    }
    desk.work()
    for thread in others { thread.join() }
  }
}
