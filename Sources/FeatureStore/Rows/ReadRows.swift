import ClusterCore

/// Rows that were read and are still to be checked by a ``RowChecker``.
struct ReadRows: Sendable {
  /// Features and the checksums of their rows, nil for rows that have none.
  struct Features: Sendable {
    var batch = FeatureBatch()
    var checksums: [Int64?] = []

    mutating func removeAll() {
      batch.removeAll()
      checksums.removeAll(keepingCapacity: true)
    }
  }

  var living = Features()
  /// Features that have expired. They are checked, too, since their expiry may be the fault.
  var expired = Features()

  var count: Int { living.batch.count + expired.batch.count }

  mutating func removeAll() {
    living.removeAll()
    expired.removeAll()
  }
}
