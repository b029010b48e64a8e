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

  /// Moves all features to a collection, with ascending ids from `firstID` on.
  func move(to key: Int64, firstID: Int64, with features: FeatureTable) throws(StoreError) {
    let rows = try self.rows()
    while try rows.step() {
      try features.insert(
        FeatureRow(
          id: .integer(firstID + rows.integer(0), writtenAsText: false), position: rows.bytes(1),
          properties: rows.bytes(2), expires: rows.optionalInteger(3)),
        into: key)
    }
    try connection.execute("DROP TABLE temp.pending")
  }

  /// Appends all features to an ascending import, with ascending ids from `firstID` on, above all so far.
  func move(firstID: Int64, with ascending: AscendingImport) throws(StoreError) {
    var batch = FeatureBatch()
    func flush() throws(StoreError) {
      guard try ascending.append(batch) != nil else { throw damage }
      batch.removeAll()
    }
    let rows = try self.rows()
    while try rows.step() {
      guard let position = coder.decode(rows.bytes(1)),
        let id = try? FeatureID(integer: firstID + rows.integer(0))
      else { throw damage }
      batch.append(
        id: id, coordinate: position.coordinate, further: position.further,
        properties: rows.bytes(2), expires: rows.optionalInteger(3))
      if batch.count >= PendingTable.batchSize { try flush() }
    }
    try flush()
    try connection.execute("DROP TABLE temp.pending")
  }

  private static let batchSize = 8192

  private var damage: StoreError {
    .io(reason: "features that were set aside are not what they were")
  }

  private func rows() throws(StoreError) -> Statement {
    try Statement(
      "SELECT number, position, properties, expires FROM temp.pending ORDER BY number",
      on: connection)
  }
}
