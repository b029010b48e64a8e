import ClusterCore
import Glibc
import Synchronization

/// The time by which features expire. It doesn't go back while it lives, even if the machine's clock
/// does: what has expired stays so.
public final class WallClock: Sendable {
  private let source: @Sendable () -> Int64
  private let latest = Atomic<Int64>(FeatureRecord.expiryRange.lowerBound)

  /// A clock that follows another, by default the machine's.
  ///
  /// - Parameter source: tells milliseconds since 1970 (UTC), on any thread.
  public init(source: @escaping @Sendable () -> Int64 = WallClock.machineTime) {
    self.source = source
  }

  /// Milliseconds since 1970 (UTC), within ``FeatureRecord/expiryRange``.
  public var now: Int64 {
    latest.max(
      min(source(), FeatureRecord.expiryRange.upperBound), ordering: .relaxed
    ).newValue
  }

  /// What the machine's clock says, in milliseconds since 1970 (UTC).
  @Sendable public static func machineTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let (milliseconds, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1000)
    return overflow ? 0 : milliseconds + Int64(time.tv_nsec) / 1_000_000
  }
}
