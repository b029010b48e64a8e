import ClusterCore
import Threading

/// The counter that all versions come from. No version is given twice, not even by a later process after
/// a crash: the database holds a ceiling that no version exceeds, and commits raise it in time.
///
/// If the ceiling can't be raised for long because the disk is full, versions continue at the number of
/// milliseconds since 1970, or of microseconds where they are beyond milliseconds, as in a restored copy. A later process
/// that starts at the old ceiling continues there too, at a later time, so it gives higher ones.
public final class VersionCounter: Sendable {
  /// The distance of a new ceiling from the last version.
  static let reserve: Int64 = 10_000

  /// A version that the original of a restored copy doesn't come to: the number of microseconds since 1970, which no service
  /// writes as fast as they pass.
  ///
  /// - Parameter now: the time in milliseconds since 1970.
  static func afterRestoring(at now: Int64) -> Int64 {
    min(max(now, 0), FeatureID.integerRange.upperBound / 2000) * 1000
  }

  private struct State {
    var last: Int64
    var ceiling: Int64
  }

  private let state: Locked<State>
  private let clock: WallClock

  /// Creates a counter that continues after the ceiling of an earlier process.
  init(after last: Int64, clock: WallClock) {
    state = Locked(State(last: last, ceiling: last))
    self.clock = clock
  }

  /// Returns the next version, for a change that is published without being written first. On any thread.
  public func next() -> Int64 {
    state.withLock { state in
      state.last += 1
      if state.last > state.ceiling {
        let now = clock.now
        state.last = max(
          state.last, state.last > now ? VersionCounter.afterRestoring(at: now) : now)
      }
      return state.last
    }
  }

  /// Returns the next version, for a transaction whose commit raises the ceiling if need be.
  func nextToWrite() -> Int64 {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  /// The last version that was given out.
  var last: Int64 { state.withLock { $0.last } }

  /// The ceiling to write now; nil while the present one is far enough away.
  var dueCeiling: Int64? {
    state.withLock { state in
      state.ceiling - state.last < VersionCounter.reserve / 2
        ? state.last + VersionCounter.reserve : nil
    }
  }

  /// Takes note that a ceiling is on disk.
  func setCeiling(_ ceiling: Int64) { state.withLock { $0.ceiling = max($0.ceiling, ceiling) } }

  /// Whether the database holds a number other than the last version.
  var isAhead: Bool { state.withLock { $0.ceiling != $0.last } }
}
