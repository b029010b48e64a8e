import Synchronization
import Threading

/// The state of the connection to a shared store. May be used on any thread.
public final class StoreLink: Sendable {
  /// Counts of events since the start.
  public struct Counts: Sendable {
    /// How often the connection was lost.
    public var losses = 0
    /// Changes of collections that others have made.
    public var changes = 0
    /// Collections that were loaded anew.
    public var loads = 0
    /// Comparisons of collections with their rows, and those that have found a difference.
    public var (comparisons, drifts) = (0, 0)
  }

  private struct State {
    /// When everything that others had written was last known, on a monotonic clock.
    var current = MonotonicTime.now
    var failure = ""
    var full: [String] = []
  }

  private let state = Locked(State())
  private let up = Atomic<Bool>(true)
  private let done = Locked(Counts())

  init() {}

  /// Whether there is a connection, so that writes may succeed.
  public var isUp: Bool { up.load(ordering: .relaxed) }

  /// Why there is no connection; empty if there is one.
  public var failure: String { state.withLock { $0.failure } }

  /// The ids of collections of which others have written what this process has no memory for, so that it shows them as they
  /// were before.
  public var withoutMemory: [String] { state.withLock { $0.full } }

  /// How old the answers may be, in nanoseconds.
  public var age: UInt {
    let current = state.withLock { $0.current }
    let now = MonotonicTime.now
    return now > current ? now - current : 0
  }

  /// The counts of events since the start.
  public var counts: Counts { done.withLock { $0 } }

  /// Takes note of a change that another instance has made.
  func hasChanged() { done.withLock { $0.changes += 1 } }

  /// Takes note of a collection that was loaded anew.
  public func hasLoaded() { done.withLock { $0.loads += 1 } }

  /// Takes note of a comparison.
  public func hasCompared(isSame: Bool) {
    done.withLock { done in
      done.comparisons += 1
      if !isSame { done.drifts += 1 }
    }
  }

  /// Takes note that everything that others had written at a time is known.
  func isCurrent(at time: UInt) {
    state.withLock { state in
      state.current = max(state.current, time)
      state.failure = ""
    }
    up.store(true, ordering: .relaxed)
  }

  /// Takes note that there is a connection, though not everything is known that others have written.
  func isConnected() {
    state.withLock { $0.failure = "" }
    up.store(true, ordering: .relaxed)
  }

  /// Takes note of the collections for which there is no memory.
  func lacksMemory(for ids: [String]) { state.withLock { $0.full = ids } }

  /// Takes note that the connection was lost.
  func isLost(_ failure: String) {
    state.withLock { $0.failure = failure }
    if up.exchange(false, ordering: .relaxed) { done.withLock { $0.losses += 1 } }
  }
}
