import ClusterCore

/// Sums of the hashes of features, which don't depend on the order of features, in buckets by the hash: a feature that
/// differs makes two of them differ at most.
struct BucketSums {
  /// The number of buckets, a power of two.
  static let count = 1024

  private(set) var counts = [Int](repeating: 0, count: BucketSums.count)
  private var sums = [UInt64](repeating: 0, count: BucketSums.count)

  static func bucket(of hash: UInt64) -> Int { Int(hash & UInt64(BucketSums.count - 1)) }

  mutating func add(_ hash: UInt64) {
    add(Int128(hash), count: 1, to: BucketSums.bucket(of: hash))
  }

  mutating func subtract(_ hash: UInt64) {
    add(-Int128(hash), count: -1, to: BucketSums.bucket(of: hash))
  }

  /// Adds a sum of hashes of a bucket.
  mutating func add(_ sum: Int128, count: Int, to bucket: Int) {
    counts[bucket] += count
    sums[bucket] &+= UInt64(truncatingIfNeeded: sum)
  }

  /// The number of features.
  var total: Int { counts.reduce(0, +) }

  /// The buckets that aren't the same.
  func differences(from other: BucketSums) -> [Int] {
    (0..<BucketSums.count).filter { counts[$0] != other.counts[$0] || sums[$0] != other.sums[$0] }
  }
}
