import ClusterCore
import Synchronization
import Threading

/// The clock by which features expire. It never goes back, even if the machine's clock does, so that
/// expired features stay expired.
public final class WallClock: Sendable {
  private let source: @Sendable () -> Int64
  private let latest = Atomic<Int64>(FeatureRecord.expiryRange.lowerBound)

  /// Creates a clock that follows another one, by default the machine's.
  ///
  /// - Parameter source: returns milliseconds since 1970 (UTC); called on any thread.
  public init(source: @escaping @Sendable () -> Int64 = WallClock.machineTime) {
    self.source = source
  }

  /// Milliseconds since 1970 (UTC), within ``FeatureRecord/expiryRange``.
  public var now: Int64 {
    latest.max(
      min(source(), FeatureRecord.expiryRange.upperBound), ordering: .relaxed
    ).newValue
  }

  /// The time of the machine's clock, in milliseconds since 1970 (UTC).
  @Sendable public static func machineTime() -> Int64 { SystemTime.now / 1000 }
}
