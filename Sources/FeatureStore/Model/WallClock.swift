import ClusterCore
import Synchronization
import Threading

/// The clock by which features expire. It never goes back, even if the machine's clock does, so that
/// expired features stay expired: readers leave them out before they are deleted. Where expiry is nothing but a deletion, as
/// in a store that instances share, the clock follows its source back: an instance that kept a wrong time would delete the
/// features of others.
public final class WallClock: Sendable {
  private let source: @Sendable () -> Int64
  private let latest = Atomic<Int64>(FeatureRecord.expiryRange.lowerBound)
  private let goesBack: Bool

  /// Creates a clock that follows another one, by default the machine's.
  ///
  /// - Parameters:
  ///   - goesBack: whether it follows the other one back.
  ///   - source: returns milliseconds since 1970 (UTC); called on any thread.
  public init(
    goesBack: Bool = false, source: @escaping @Sendable () -> Int64 = WallClock.machineTime
  ) {
    (self.goesBack, self.source) = (goesBack, source)
  }

  /// Milliseconds since 1970 (UTC), within ``FeatureRecord/expiryRange``.
  public var now: Int64 {
    let range = FeatureRecord.expiryRange
    let time = min(max(source(), range.lowerBound), range.upperBound)
    return goesBack ? time : latest.max(time, ordering: .relaxed).newValue
  }

  /// The time of the machine's clock, in milliseconds since 1970 (UTC).
  @Sendable public static func machineTime() -> Int64 { SystemTime.now / 1000 }
}
