import Dispatch
import Threading
import HTTPServer
import Synchronization

/// Where other threads leave word for the one that tells of changes.
final class WatchMailbox: Sendable {
  /// The most clients that watch at one time.
  static let maximumWatchers = 1000

  /// What was left.
  struct Inbox {
    var arrivals: [(key: WatchKey, view: ViewportRequest, arrival: WatchRequest)] = []
    var streams: [(watcher: Int, stream: ResponseStream)] = []
    var gone: [Int] = []
    var touched: [TouchLog] = []
    var isClosing = false
  }

  private struct State {
    var inbox = Inbox()
    /// Whether the thread has been told that there is something.
    var isSignalled = false
    var lastID = 0
  }

  private let state = Locked(State())
  private let arrivals = DispatchSemaphore(value: 0)
  private let watching = Atomic<Int>(0)
  private let events = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)

  /// Leaves word.
  func post(_ change: (inout Inbox) -> Void) {
    let isFirst = state.withLock { state in
      change(&state.inbox)
      defer { state.isSignalled = true }
      return !state.isSignalled
    }
    if isFirst { arrivals.signal() }
  }

  /// Takes what was left, and waits for it no longer than until a time; nil waits for ever.
  func take(until deadline: ContinuousClock.Instant?) -> Inbox {
    if let deadline {
      let wait = ContinuousClock.now.duration(to: deadline) / .nanoseconds(1)
      _ = arrivals.wait(timeout: .now() + .nanoseconds(Int(max(wait, 0))))
    } else {
      arrivals.wait()
    }
    return state.withLock { state in
      defer { state.inbox = Inbox() }
      state.isSignalled = false
      return state.inbox
    }
  }

  /// A number for a new watcher; nil where there are too many.
  func admit() -> Int? {
    let (before, _) = watching.add(1, ordering: .relaxed)
    guard before < WatchMailbox.maximumWatchers else {
      watching.subtract(1, ordering: .relaxed)
      return nil
    }
    return state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Somebody who was admitted watches no more.
  func dismiss(_ count: Int = 1, isDropped: Bool = false) {
    watching.subtract(count, ordering: .relaxed)
    if isDropped { dropped.add(count, ordering: .relaxed) }
  }

  /// Counts an event that was sent.
  func countEvent() { events.add(1, ordering: .relaxed) }

  /// For the metrics: those who watch, the events that were sent to them, and how many were dropped
  /// because they were too slow.
  var figures: (watchers: Int, events: Int, dropped: Int) {
    (
      watching.load(ordering: .relaxed), events.load(ordering: .relaxed),
      dropped.load(ordering: .relaxed)
    )
  }
}
