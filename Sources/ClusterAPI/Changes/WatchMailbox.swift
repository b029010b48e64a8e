import Dispatch
import Threading
import HTTPServer
import Synchronization

/// The messages that other threads leave for the thread that sends changes.
final class WatchMailbox: Sendable {
  /// The most watchers.
  static let maximumWatchers = 1000

  /// The messages since the last look.
  struct Inbox {
    var requests: [(key: WatchKey, viewport: ViewportRequest, request: WatchRequest)] = []
    var streams: [(watcher: Int, stream: ResponseStream)] = []
    var gone: [Int] = []
    var touched: [TouchLog] = []
    var isClosing = false
  }

  private struct State {
    var inbox = Inbox()
    /// Whether the thread has been woken up for the messages.
    var isSignalled = false
    var lastID = 0
  }

  private let state = Locked(State())
  private let signal = DispatchSemaphore(value: 0)
  private let watching = Atomic<Int>(0)
  private let events = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)

  /// Leaves a message.
  func post(_ change: (inout Inbox) -> Void) {
    let isFirst = state.withLock { state in
      change(&state.inbox)
      defer { state.isSignalled = true }
      return !state.isSignalled
    }
    if isFirst { signal.signal() }
  }

  /// Waits for messages, at most until a deadline if there is one, and takes them.
  func take(until deadline: ContinuousClock.Instant?) -> Inbox {
    if let deadline {
      let wait = ContinuousClock.now.duration(to: deadline) / .nanoseconds(1)
      _ = signal.wait(timeout: .now() + .nanoseconds(Int(max(wait, 0))))
    } else {
      signal.wait()
    }
    return state.withLock { state in
      defer { state.inbox = Inbox() }
      state.isSignalled = false
      return state.inbox
    }
  }

  /// A number for a new watcher; nil if there are too many.
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

  /// Subtracts watchers that were admitted.
  func dismiss(_ count: Int = 1, isDropped: Bool = false) {
    watching.subtract(count, ordering: .relaxed)
    if isDropped { dropped.add(count, ordering: .relaxed) }
  }

  /// Counts an event that was sent.
  func countEvent() { events.add(1, ordering: .relaxed) }

  /// The numbers of watchers now, of events that were sent, and of watchers that were dropped because they
  /// were too slow.
  var figures: (watchers: Int, events: Int, dropped: Int) {
    (
      watching.load(ordering: .relaxed), events.load(ordering: .relaxed),
      dropped.load(ordering: .relaxed)
    )
  }
}
