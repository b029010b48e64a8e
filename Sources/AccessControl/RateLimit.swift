import Threading

/// Counts requests by caller, for those with a limit. As many come through at once as in a second; see "token bucket".
final class RateLimit: Sendable {
  /// A caller with a limit of its own.
  enum Caller: Hashable, Sendable {
    case key(Digest)
    case address(UInt64)
  }

  /// The remaining tokens of a caller.
  private struct Bucket {
    var tokens: Double
    /// When it had that, in seconds.
    var time: Double
  }

  private let buckets = Locked<[Caller: Bucket]>([:])
  /// The most callers that are remembered.
  private static let most = 65_536

  /// Counts a request.
  ///
  /// - Parameters:
  ///   - rate: requests a second.
  ///   - now: seconds of a clock that never goes back.
  /// - Throws: ``AccessFailure/tooOften(_:)``, and counts nothing.
  func take(_ caller: Caller, rate: Double, now: Double) throws(AccessFailure) {
    let missing = buckets.withLock { buckets in
      let most = max(rate, 1)
      if buckets.count >= RateLimit.most, buckets[caller] == nil { RateLimit.forget(&buckets, now) }
      var bucket = buckets[caller] ?? Bucket(tokens: most, time: now)
      bucket.tokens = min(bucket.tokens + (now - bucket.time) * rate, most)
      bucket.time = now
      defer { buckets[caller] = bucket }
      guard bucket.tokens >= 1 else { return 1 - bucket.tokens }
      bucket.tokens -= 1
      return 0
    }
    if missing > 0 { throw .tooOften(missing / rate) }
  }

  /// Forgets the callers that were not used for longest, a half of them.
  private static func forget(_ buckets: inout [Caller: Bucket], _ now: Double) {
    let times = buckets.values.map(\.time).sorted()
    let median = times[times.count / 2]
    buckets = buckets.filter { $0.value.time > median }
  }
}
