import ClusterCore

/// The changes of a collection since a version, as they are read: rows of ``PostgresQueries/changed(source:)``.
final class ChangedRows: RowSink {
  private(set) var removed: [FeatureID] = []
  /// The ids by the times of their last changes, in microseconds since 1970 (UTC), and the time of the first change of them.
  private var times: [Int64: (first: Int64, ids: [FeatureID])] = [:]
  private var rows = ReadRows()
  private let address: PostgresAddress

  init(_ address: PostgresAddress) { self.address = address }

  /// Why its rows are of no use; others that are read with them are.
  private var failure: StoreError?

  func take(_ row: PostgresResult.Row) {
    guard failure == nil else { return }
    do throws(StoreError) { try add(row) } catch { failure = error }
  }

  private func add(_ row: PostgresResult.Row) throws(StoreError) {
    let time = row.integer(Int32(PostgresRow.columnCount))
    let first = row.integer(Int32(PostgresRow.columnCount + 1))
    let row = PostgresRow(row, of: address)
    if let time {
      var step = times.removeValue(forKey: time) ?? (first: time, ids: [])
      step.ids.append(try row.id())
      step.first = min(step.first, first ?? time)
      times[time] = step
    }
    if row.isThere {
      // An expired feature stays until it is deleted, which is a change, too.
      try row.append(to: &rows)
    } else {
      removed.append(try row.id())
    }
  }

  /// Checks the rows and returns what they change.
  func changes(of key: Int64) throws(StoreError) -> [FeatureChange] {
    if let failure { throw failure }
    try RowChecker(key, path: address.name).check(rows)
    var changes: [FeatureChange] = []
    if !removed.isEmpty { changes.append(.remove(removed)) }
    if !rows.living.batch.isEmpty { changes.append(.upsert(rows.living.batch)) }
    return changes
  }

  /// The features by the times of their last changes, the earliest first.
  var steps: [StoreChange.Step] {
    times.map { StoreChange.Step(time: $0.key, first: $0.value.first, features: $0.value.ids) }
      .sorted { $0.time < $1.time }
  }

  /// The ids of all features that have changed, and those that are there.
  func all(of key: Int64) throws(StoreError) -> (ids: [FeatureID], batch: FeatureBatch) {
    if let failure { throw failure }
    try RowChecker(key, path: address.name).check(rows)
    let batch = rows.living.batch
    let ids = (0..<batch.count).map { batch.withRecord(at: $0) { $0.id } }
    return ((removed + ids).sorted(), batch)
  }
}
