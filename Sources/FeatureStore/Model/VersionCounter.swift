import Threading

/// The counter that all versions come from. None is ever given twice, not even by a later process
/// after a crash, for the database holds a ceiling that no version passes: commits raise it before it
/// is reached (``FeatureStore``).
///
/// If it can't be raised for long, since the disk is full, versions go on above the milliseconds since
/// 1970: whoever comes later and doesn't know of them begins higher still.
public final class VersionCounter: Sendable {
  /// How far ahead of the last version the ceiling is put.
  static let reserve: Int64 = 10_000

  private struct State {
    var last: Int64
    var ceiling: Int64
  }

  private let state: Locked<State>
  private let clock: WallClock

  /// A counter that goes on behind the ceiling of the process before.
  init(after last: Int64, clock: WallClock) {
    state = Locked(State(last: last, ceiling: last))
    self.clock = clock
  }

  /// The next version, for what is shown without being written first. On any thread.
  public func next() -> Int64 {
    state.withLock { state in
      state.last += 1
      if state.last > state.ceiling { state.last = max(state.last, clock.now) }
      return state.last
    }
  }

  /// The next version, for a transaction, whose commit sees to the ceiling.
  func nextToWrite() -> Int64 {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  /// The last version that was given.
  var last: Int64 { state.withLock { $0.last } }

  /// The ceiling to write now; nil while the present one is far enough.
  var dueCeiling: Int64? {
    state.withLock { state in
      state.ceiling - state.last < VersionCounter.reserve / 2
        ? state.last + VersionCounter.reserve : nil
    }
  }

  /// Tells that a ceiling is on disk.
  func setCeiling(_ ceiling: Int64) { state.withLock { $0.ceiling = max($0.ceiling, ceiling) } }

  /// Whether the database holds another number than the last version.
  var isAhead: Bool { state.withLock { $0.ceiling != $0.last } }
}
