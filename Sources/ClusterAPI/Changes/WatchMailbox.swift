import Dispatch
import HTTPServer
import Threading

/// The messages that other threads leave for the thread that sends changes, and figures about it.
final class WatchMailbox: Sendable {
  /// The most watchers.
  static let maximumWatchers = 1000

  /// The messages since the last look.
  struct Inbox {
    var requests: [Watch.Request] = []
    var streams: [(watcher: Int, stream: ResponseStream)] = []
    var gone: [Int] = []
    var touched: [TouchLog] = []
    var isClosing = false
  }

  /// Figures for the metrics.
  struct Figures {
    /// The watchers now, with those that wait for their answer.
    var watchers = 0
    /// The events that were sent.
    var events = 0
    /// The watchers that were dropped because they were too slow.
    var dropped = 0
  }

  private struct State {
    var inbox = Inbox()
    /// Whether the thread has been woken up for the messages.
    var isSignalled = false
    var lastID = 0
    var figures = Figures()
  }

  private let state = Locked(State())
  private let signal = DispatchSemaphore(value: 0)

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
    let wait = deadline.map { max(ContinuousClock.now.duration(to: $0) / .nanoseconds(1), 0) }
    _ = signal.wait(timeout: wait.map { .now() + .nanoseconds(Int($0)) } ?? .distantFuture)
    return state.withLock { state in
      defer { state.inbox = Inbox() }
      state.isSignalled = false
      return state.inbox
    }
  }

  /// Whether the message to close waits to be taken.
  var isClosing: Bool { state.withLock { $0.inbox.isClosing } }

  /// A number for a new watcher, which is counted from now on; nil if there are too many.
  func admit() -> Int? {
    state.withLock { state in
      guard state.figures.watchers < WatchMailbox.maximumWatchers else { return nil }
      state.figures.watchers += 1
      state.lastID += 1
      return state.lastID
    }
  }

  /// Changes the figures. A watcher must be subtracted before it is told that it is one no longer.
  func count(_ change: (inout Figures) -> Void) { state.withLock { change(&$0.figures) } }

  /// The figures now.
  var figures: Figures { state.withLock { $0.figures } }
}
