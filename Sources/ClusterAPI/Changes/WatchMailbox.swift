import Collections
import HTTPServer
import Threading

/// The messages that other threads leave for the thread that sends changes, and figures about it.
final class WatchMailbox: Sendable {
  let limits: WatchLimits

  /// Counts watchers that are dropped.
  let refusals: Refusals

  init(limits: WatchLimits, refusals: Refusals) {
    (self.limits, self.refusals) = (limits, refusals)
    state = Locked(State(places: ClientLedger(all: limits.places, each: limits.placesOfAddress)))
  }

  /// The messages since the last look.
  struct Inbox {
    var requests: [Watch.Request] = []
    var streams: [(watcher: Watch.Place, stream: ResponseStream)] = []
    var gone: [Watch.Place] = []
    var invalidated: [InvalidationLog] = []
    /// The result of work on another thread.
    var outcome: WatchWork.Product?
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
    /// The watchers of each address.
    var places: ClientLedger
  }

  private let state: Locked<State>
  private let signal = TimedSemaphore()

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
    signal.wait(atMost: deadline.map { ContinuousClock.now.duration(to: $0) / .seconds(1) })
    return state.withLock { state in
      defer { state.inbox = Inbox() }
      state.isSignalled = false
      return state.inbox
    }
  }

  /// Whether the message to close waits to be taken.
  var isClosing: Bool { state.withLock { $0.inbox.isClosing } }

  /// A number for a new watcher, which is counted from now on.
  ///
  /// - Throws: ``Problem`` if there are too many, of all addresses or of this one.
  func admit(_ client: UInt64) throws(Problem) -> Int {
    let result = state.withLock { state -> Result<Int, Problem> in
      if state.places.total >= limits.places {
        return .failure(.unavailable("\(limits.places) clients watch already", .watchers))
      }
      guard state.places.take(1, for: client) else {
        let detail = "\(limits.placesOfAddress) clients of this address watch already"
        return .failure(.overShare(detail))
      }
      state.lastID += 1
      return .success(state.lastID)
    }
    return try result.get()
  }

  /// Counts that a watcher is one no longer. It must not have been told before.
  func release(_ client: UInt64) {
    state.withLock { $0.places.give(1, of: client) }
  }

  /// Changes the figures.
  func count(_ change: (inout Figures) -> Void) { state.withLock { change(&$0.figures) } }

  /// The figures now.
  var figures: Figures {
    state.withLock { state in
      var figures = state.figures
      figures.watchers = state.places.total
      return figures
    }
  }
}

/// The limits that all watchers share.
struct WatchLimits: Sendable {
  /// The most watchers.
  var places = 1000
  /// The most watchers of one client address.
  var placesOfAddress = 250
  /// The longest time that a client waits for its first event, in seconds.
  var seconds = 10
  /// The most memory of all watched viewports, in bytes.
  var bytes = 128 << 20
}
