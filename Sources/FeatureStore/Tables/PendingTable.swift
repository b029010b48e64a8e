import ClusterCore

/// The features of an import that came without an id, in a temporary table, in the order in which they
/// came. The import's transaction contains it, so a rollback removes it.
final class PendingTable {
  private let insertion: Statement
  private let connection: Connection
  private let coder = PositionCoder()
  private(set) var count = 0

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS pending (
        number INTEGER PRIMARY KEY, position BLOB NOT NULL, properties TEXT NOT NULL,
        expires INTEGER
      ) STRICT;
      """)
    insertion = try Statement(
      """
      INSERT INTO temp.pending (number, position, properties, expires) VALUES (?1, ?2, ?3, ?4)
      """, on: connection)
  }

  /// Adds the features of a batch that need an id, and returns their number.
  func add(_ batch: borrowing FeatureBatch) throws(StoreError) -> Int {
    let before = count
    _ = try batch.withRecords { (records) throws(StoreError) in
      for index in 0..<records.count where records[index].needsID {
        let record = records[index]
        try insertion.bind(Int64(count), at: 1)
        try insertion.bindBorrowed(blob: coder.encode(record), at: 2)
        try insertion.bindBorrowed(text: record.properties, at: 3)
        try insertion.bind(record.expires, at: 4)
        try insertion.run()
        count += 1
      }
    }
    return count - before
  }

  /// Removes all features and hands them to `write` in batches, with ascending ids from `firstID` on. The
  /// last batch may be empty.
  func move(
    firstID: Int64, _ write: (FeatureBatch) throws(StoreError) -> Void
  ) throws(StoreError) {
    var batch = FeatureBatch()
    let rows = try Statement(
      "SELECT number, position, properties, expires FROM temp.pending ORDER BY number",
      on: connection)
    while try rows.step() {
      guard let position = coder.decode(rows.bytes(1)),
        let id = try? FeatureID(integer: firstID + rows.integer(0))
      else { throw .io(reason: "features that were set aside are not what they were") }
      batch.append(
        id: id, coordinate: position.coordinate, further: position.further,
        properties: rows.bytes(2), expires: rows.optionalInteger(3))
      if batch.count >= PendingTable.batchSize {
        try write(batch)
        batch.removeAll()
      }
    }
    try write(batch)
    try connection.execute("DROP TABLE temp.pending")
  }

  private static let batchSize = 8192
}
