import ClusterCore

/// Appends rows whose ids follow those of the collection's rows, many with one statement, since beginning
/// and ending a statement takes as long as writing a row.
final class RowAppender {
  private static let rowsAtATime = 32
  private static let columns: Int32 = 6
  private static let positionSize = 8 * (2 + FeatureBatch.maximumFurtherOrdinates)

  private let many: Statement
  private let one: Statement
  private let key: Int64
  /// Memory for encoded positions.
  private let positions: UnsafeMutableRawBufferPointer

  init(_ connection: Connection, key: Int64) throws(StoreError) {
    self.key = key
    many = try RowAppender.insertion(RowAppender.rowsAtATime, connection)
    one = try RowAppender.insertion(1, connection)
    for statement in [many, one] { try statement.bind(key, at: 1) }
    positions = .allocate(
      byteCount: RowAppender.rowsAtATime * RowAppender.positionSize, alignment: 8)
  }

  deinit { positions.deallocate() }

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

  /// Writes the rows of a batch in its order.
  func append(_ batch: FeatureBatch) throws(StoreError) {
    _ = try batch.withRecords { (records) throws(StoreError) in
      var index = 0
      while index < records.count {
        let isFull = records.count - index >= RowAppender.rowsAtATime
        let (statement, count) = isFull ? (many, RowAppender.rowsAtATime) : (one, 1)
        for row in 0..<count { try bind(records[index + row], row, to: statement) }
        try statement.run()
        index += count
      }
    }
  }

  /// Binds a record, which must live until the statement has run.
  private func bind(
    _ record: FeatureRecord, _ number: Int, to statement: Statement
  ) throws(StoreError) {
    let start = number * RowAppender.positionSize
    let space = UnsafeMutableRawBufferPointer(
      rebasing: positions[start..<(start + RowAppender.positionSize)])
    let row = FeatureRow(record, id: record.rawID, space)
    try row.bind(
      to: statement, at: 2 + Int32(number) * RowAppender.columns, checksum: row.checksum(in: key))
  }
}
