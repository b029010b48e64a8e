import ClusterCore

/// Rows as they were read, still to be checked (``RowChecker``).
struct ReadRows: Sendable {
  /// Features with the checksums of their rows; nil where there needn't be one.
  struct Features: Sendable {
    var batch = FeatureBatch()
    var checksums: [Int64?] = []

    mutating func removeAll() {
      batch.removeAll()
      checksums.removeAll(keepingCapacity: true)
    }
  }

  var living = Features()
  /// Those that have expired: to be checked, too, for it may be their expiry that is wrong.
  var expired = Features()

  var count: Int { living.batch.count + expired.batch.count }

  mutating func removeAll() {
    living.removeAll()
    expired.removeAll()
  }
}
