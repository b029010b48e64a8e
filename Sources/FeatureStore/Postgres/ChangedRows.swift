import ClusterCore

/// What has changed in a collection since a version, as it is read: rows of ``PostgresQueries/changed(source:)``.
final class ChangedRows: RowSink {
  private(set) var removed: [FeatureID] = []
  private var rows = ReadRows()
  private let address: PostgresAddress

  init(_ address: PostgresAddress) { self.address = address }

  func take(_ row: PostgresResult.Row) throws(StoreError) {
    let row = PostgresRow(row, of: address)
    if row.isThere {
      // What has expired stays until it is deleted, which is a change too.
      try row.append(to: &rows)
    } else {
      removed.append(try row.id())
    }
  }

  /// Checks the rows and returns what they change.
  func changes(of key: Int64) throws(StoreError) -> [FeatureChange] {
    try RowChecker(key, path: address.name).check(rows)
    var changes: [FeatureChange] = []
    if !removed.isEmpty { changes.append(.remove(removed)) }
    if !rows.living.batch.isEmpty { changes.append(.upsert(rows.living.batch)) }
    return changes
  }

  /// The ids of all features that have changed, and those that are there.
  func all(of key: Int64) throws(StoreError) -> (ids: [FeatureID], batch: FeatureBatch) {
    try RowChecker(key, path: address.name).check(rows)
    let batch = rows.living.batch
    let ids = (0..<batch.count).map { batch.withRecord(at: $0) { $0.id } }
    return ((removed + ids).sorted(), batch)
  }
}
