import ClusterCore

/// Checks the checksums, texts and order of rows that were read.
///
/// Not `Sendable`; it may be used on any thread.
final class RowChecker {
  private let key: Int64
  private let path: String
  private let coder = PositionCoder()
  private var previous: FeatureID?

  /// - Parameter path: the database, as named in errors.
  init(_ key: Int64, path: String) {
    self.key = key
    self.path = path
  }

  /// Throws if one of the rows isn't as it was written, or doesn't follow the one before it.
  func check(_ rows: ReadRows) throws(StoreError) {
    try checkContent(of: rows.living)
    try checkContent(of: rows.expired)
    let batch = rows.living.batch
    for index in 0..<batch.count {
      // A damaged page may yield one row twice and another one not at all.
      let isBehind =
        index > 0
        ? batch.withRecord(at: index - 1) { before in
          batch.withRecord(at: index) { FeatureRecord.compare(before.rawID, $0.rawID) < 0 }
        } : batch.withRecord(at: index) { first in previous.map { $0 < first.id } ?? true }
      if !isBehind { throw damage("a feature has an invalid order") }
    }
    if batch.count > 0 { previous = batch.withRecord(at: batch.count - 1) { $0.id } }
  }

  private func checkContent(of rows: ReadRows.Features) throws(StoreError) {
    for index in 0..<rows.batch.count {
      let fault = rows.batch.withRecord(at: index) { record in
        self.fault(of: record, rows.checksums[index]).map {
          "the feature \(record.id) has an invalid \($0)"
        }
      }
      if let fault { throw damage(fault) }
    }
  }

  private func fault(of record: FeatureRecord, _ checksum: Int64?) -> String? {
    guard record.properties.isUTF8 else { return "properties" }
    guard let checksum else { return nil }
    let row = FeatureRow(record, id: record.rawID, coder)
    return checksum == row.checksum(in: key) ? nil : "checksum"
  }

  private func damage(_ reason: String) -> StoreError { .damaged(path: path, reason: reason) }
}

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
