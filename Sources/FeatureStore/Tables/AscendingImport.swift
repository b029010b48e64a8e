import ClusterCore

/// An import into an empty collection, as long as every feature has an id and ids ascend. Then no row can
/// be there already, each is appended to the tree, and features are sorted for the index file on the way,
/// so that nothing needs to be read again.
///
/// Many rows are appended with one statement, since beginning and ending a statement takes as long as writing
/// a row.
final class AscendingImport {
  private static let rowsAtATime = 32
  private static let columns: Int32 = 6

  private let many: Statement
  private let one: Statement
  private let key: Int64
  private let collection: Statement
  /// One for each row of a statement.
  private let coders = (0..<rowsAtATime).map { _ in PositionCoder() }
  private var last: FeatureID?
  /// Sorts what came so far; nil where its scratch file can't be made.
  let sorting: IndexFileSorting?

  init(_ connection: Connection, key: Int64) throws(StoreError) {
    self.key = key
    many = try AscendingImport.insertion(AscendingImport.rowsAtATime, connection)
    one = try AscendingImport.insertion(1, connection)
    collection = try Statement("SELECT version FROM collections WHERE key = ?1", on: connection)
    for statement in [many, one, collection] { try statement.bind(key, at: 1) }
    sorting = try? IndexFileSorting(
      scratch: IndexFileName.runs(of: key, besides: connection.path))
  }

  /// `OR FAIL`: after a failure the whole import is undone, so the statement needn't undo its rows.
  private static func insertion(
    _ rows: Int, _ connection: Connection
  ) throws(StoreError) -> Statement {
    let row = "(?1" + String(repeating: ", ?", count: Int(columns)) + ")"
    return try Statement(
      """
      INSERT OR FAIL INTO features
        (collection, id, written_as_text, position, properties, expires, checksum)
      VALUES \(repeatElement(row, count: rows).joined(separator: ", "))
      """, on: connection)
  }

  /// Writes a batch and returns its largest integer id, 0 if it has none. Returns nil and writes nothing if
  /// the batch doesn't follow what came before; then nothing must be appended any more.
  func append(_ batch: FeatureBatch) throws(StoreError) -> Int64? {
    guard !batch.isEmpty else { return 0 }
    guard follows(batch) else { return nil }
    if let sorting {
      try sorting.append(batch) { () throws(StoreError) in try write(batch) }
    } else {
      try write(batch)
    }
    last = batch.withRecord(at: batch.count - 1) { $0.id }
    return batch.largestIntegerID ?? 0
  }

  private func write(_ batch: FeatureBatch) throws(StoreError) {
    // Keeps the page of the collection's row in the cache: if it were written to the log and then changed
    // again, SQLite would read the log again.
    _ = try collection.first { _ throws(StoreError) in 0 }
    _ = try batch.withRecords { (records) throws(StoreError) in
      var index = 0
      while index < records.count {
        let isFull = records.count - index >= AscendingImport.rowsAtATime
        let (statement, count) = isFull ? (many, AscendingImport.rowsAtATime) : (one, 1)
        for number in 0..<count {
          let record = records[index + number]
          let row = FeatureRow(record, id: record.rawID, coders[number])
          try row.bind(
            to: statement, at: 2 + Int32(number) * AscendingImport.columns,
            checksum: row.checksum(in: key))
        }
        try statement.run()
        index += count
      }
    }
  }

  private func follows(_ batch: FeatureBatch) -> Bool {
    batch.withRecords { records in
      guard !records[0].needsID, last.map({ $0 < records[0].id }) ?? true else { return false }
      return (1..<records.count).allSatisfy { index in
        !records[index].needsID
          && FeatureRecord.compare(records[index - 1].rawID, records[index].rawID) < 0
      }
    } ?? true
  }
}
