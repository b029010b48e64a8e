import Synchronization
import Threading

/// What is known about the connection to a shared store. May be used on any thread.
public final class StoreLink: Sendable {
  private struct State {
    var isUp = true
    /// When everything that others had written was last known, on a monotonic clock.
    var current = MonotonicTime.now
    var failure = ""
  }

  private let state = Locked(State())
  private let up = Atomic<Bool>(true)

  init() {}

  /// Whether there is a connection, so that writes may succeed.
  public var isUp: Bool { up.load(ordering: .relaxed) }

  /// Why there is no connection; empty if there is one.
  public var failure: String { state.withLock { $0.failure } }

  /// How old the answers may be, in nanoseconds.
  public var age: UInt {
    let current = state.withLock { $0.current }
    let now = MonotonicTime.now
    return now > current ? now - current : 0
  }

  /// Takes note that everything that others had written at a time is known.
  func isCurrent(at time: UInt) {
    state.withLock { state in
      state.current = max(state.current, time)
      (state.isUp, state.failure) = (true, "")
    }
    up.store(true, ordering: .relaxed)
  }

  /// Takes note that the connection was lost.
  func isLost(_ failure: String) {
    state.withLock { ($0.isUp, $0.failure) = (false, failure) }
    up.store(false, ordering: .relaxed)
  }
}
