import CSQLite
import ClusterCore

/// Writes rows of `features` in the caller's transaction. Rows of expired features remain for a while and
/// count as absent.
final class FeatureTable {
  /// The outcome of writing a batch.
  struct Counts {
    /// The number of features that weren't there, or had expired.
    var inserted = 0
    /// The number of features that were there.
    var updated = 0
    /// The number of rows that weren't there.
    var newRows = 0
    /// Whether the row of the feature that was written last was there.
    fileprivate var lastWasThere = false
  }

  private let insertion: Statement
  private let replacement: Statement
  private let revival: Statement
  private let deletion: Statement
  private let sweeping: Statement
  private let clearing: Statement
  private let changes: ChangeLog
  private let coder = PositionCoder()

  init(_ connection: Connection, _ changes: ChangeLog) throws(StoreError) {
    self.changes = changes
    insertion = try Statement(
      """
      INSERT INTO features
        (collection, id, written_as_text, position, properties, expires, checksum)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING
      """, on: connection)
    let replacing = """
      UPDATE features SET written_as_text = ?3, position = ?4, properties = ?5, expires = ?6,
        checksum = ?7
      WHERE collection = ?1 AND id = ?2
      """
    replacement = try Statement(
      replacing + " AND (expires IS NULL OR expires > ?8)", on: connection)
    revival = try Statement(replacing, on: connection)
    deletion = try Statement(
      """
      DELETE FROM features
      WHERE collection = ?1 AND id = ?2 AND (expires IS NULL OR expires > ?3)
      """, on: connection)
    // The row's own expiry is compared too, so that a damaged index deletes nothing that is alive.
    sweeping = try Statement(
      """
      DELETE FROM features
      WHERE collection = ?1 AND +expires <= ?2 AND id IN
        (SELECT id FROM features WHERE collection = ?1 AND expires <= ?2 LIMIT ?3)
      """, on: connection)
    clearing = try Statement(
      """
      DELETE FROM features
      WHERE collection = ?1 AND id IN (SELECT id FROM features WHERE collection = ?1 LIMIT ?2)
      """, on: connection)
  }

  /// Writes the features of a batch. Those that need an id get ascending integers from `first` on, or aren't
  /// written if it is nil.
  ///
  /// The features are written in the order of their ids, which touches each page of the tree once. Of
  /// features with equal ids only the last is written, and the others count as updated.
  func write(
    _ batch: borrowing FeatureBatch, ids first: Int64?, into key: Int64, at now: Int64
  ) throws(StoreError) -> Counts {
    try batch.withRecords { (records) throws(StoreError) in
      let order = WriteOrder(records)
      var counts = Counts(updated: order.overwritten)
      for index in order.indices {
        try write(records[index], id: records[index].rawID, into: key, at: now, &counts)
      }
      guard let first else { return counts }
      for (number, index) in order.unassigned.enumerated() {
        let id = FeatureRecord.RawID.integer(first + Int64(number), writtenAsText: false)
        try write(records[index], id: id, into: key, at: now, &counts)
      }
      return counts
    } ?? Counts()
  }

  private func write(
    _ record: FeatureRecord, id: FeatureRecord.RawID, into key: Int64, at now: Int64,
    _ counts: inout Counts
  ) throws(StoreError) {
    let row = FeatureRow(record, id: id, coder)
    let checksum = row.checksum(in: key)
    try changes.note(id, in: key)
    // Mostly all features of a batch are new, or all replace others.
    let wasThere = counts.lastWasThere
    if wasThere, try replace(row, checksum, in: key, at: now, &counts) { return }
    try bind(row, checksum, key: key, to: insertion)
    counts.lastWasThere = try insertion.run() == 0
    if !counts.lastWasThere {
      counts.inserted += 1
      counts.newRows += 1
      return
    }
    if !wasThere, try replace(row, checksum, in: key, at: now, &counts) { return }
    try bind(row, checksum, key: key, to: revival)
    try revival.run()
    counts.inserted += 1
  }

  /// Replaces a feature if it is there and hasn't expired; returns whether it is.
  private func replace(
    _ row: FeatureRow, _ checksum: Int64, in key: Int64, at now: Int64, _ counts: inout Counts
  ) throws(StoreError) -> Bool {
    try bind(row, checksum, key: key, to: replacement)
    try replacement.bind(now, at: 8)
    guard try replacement.run() > 0 else { return false }
    counts.updated += 1
    return true
  }

  private func bind(
    _ row: FeatureRow, _ checksum: Int64, key: Int64, to statement: Statement
  ) throws(StoreError) {
    try statement.bind(key, at: 1)
    try row.bind(to: statement, at: 2, checksum: checksum)
  }

  /// Deletes one feature and returns whether it was there.
  func delete(
    _ feature: FeatureID, from key: Int64, at now: Int64
  ) throws(StoreError) -> Bool {
    try deletion.bind(key, at: 1)
    try deletion.bind(now, at: 3)
    return try feature.withRawID { (id) throws(StoreError) in
      try deletion.bindBorrowed(id, at: 2)
      guard try deletion.run() > 0 else { return false }
      try changes.note(id, in: key)
      return true
    }
  }

  /// Deletes at most `limit` features that have expired, and returns their number.
  func deleteExpired(from key: Int64, at now: Int64, limit: Int) throws(StoreError) -> Int {
    try changes.noteExpiry(until: now, in: key)
    return try sweeping.run(key, now, Int64(limit))
  }

  /// Deletes at most `limit` features of a collection that was dropped, and returns their number.
  func clear(_ key: Int64, limit: Int) throws(StoreError) -> Int {
    try clearing.run(key, Int64(limit))
  }
}

extension Connection {
  /// The number of rows of features that have expired by a time, by default of all that ever will. It is
  /// counted by the index of expiries.
  func countExpired(in key: Int64, at now: Int64 = .max) throws(StoreError) -> Int {
    let count = try integer(
      """
      SELECT count(*) FROM features INDEXED BY features_by_expiry
      WHERE collection = \(key) AND expires <= \(now)
      """)
    return Int(count ?? 0)
  }
}

extension FeatureRow {
  /// Binds the row and its checksum to six parameters, `id` to `checksum` in the order of ``Schema``. The
  /// bytes must live until the statement has run.
  func bind(to statement: Statement, at first: Int32, checksum: Int64) throws(StoreError) {
    let isText = if case .integer(_, let writtenAsText) = id { writtenAsText } else { true }
    try statement.bindBorrowed(id, at: first)
    try statement.bind(isText ? 1 : 0, at: first + 1)
    try statement.bindBorrowed(blob: position, at: first + 2)
    try statement.bindBorrowed(text: properties, at: first + 3)
    try statement.bind(expires, at: first + 4)
    try statement.bind(checksum, at: first + 5)
  }
}
