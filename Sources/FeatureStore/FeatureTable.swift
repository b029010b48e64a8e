import CSQLite
import ClusterCore

/// Writes rows of `features`, inside the caller's transaction.
final class FeatureTable {
  private let insertion: Statement
  private let replacement: Statement
  private let deletion: Statement
  private let connection: Connection
  /// Where a position is laid out for binding.
  private let position: UnsafeMutableRawBufferPointer

  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    insertion = try Statement(
      """
      INSERT INTO features (collection, id, written_as_text, position, properties)
      VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING
      """, on: connection)
    replacement = try Statement(
      """
      UPDATE features SET written_as_text = ?3, position = ?4, properties = ?5
      WHERE collection = ?1 AND id = ?2
      """, on: connection)
    deletion = try Statement(
      "DELETE FROM features WHERE collection = ?1 AND id = ?2", on: connection)
    position = .allocate(
      byteCount: 8 * (2 + FeatureBatch.maximumFurtherOrdinates), alignment: 8)
  }

  deinit { position.deallocate() }

  /// Writes the features of a batch but those that still need an id, for which `ids` has one each,
  /// in order, if it isn't nil.
  ///
  /// They are written in the order of the key, which keeps the tree's pages at hand; of features
  /// with one id only the last is, and the others count as updated.
  func write(_ batch: borrowing FeatureBatch, ids first: Int64?, into key: Int64)
    throws(StoreError) -> (inserted: Int, updated: Int)
  {
    var inserted = 0
    var updated = 0
    var next = first ?? 0
    let order = WriteOrder(batch)
    for index in order.indices {
      if order.isOverwritten(index) {
        updated += 1
        continue
      }
      let isNew = try batch.withRecord(at: Int(index)) { record in
        Result { () throws(StoreError) in try write(record, id: record.rawID, into: key) }
      }.get()
      if isNew { inserted += 1 } else { updated += 1 }
    }
    if first != nil {
      for index in order.unassigned {
        let isNew = try batch.withRecord(at: Int(index)) { record in
          Result { () throws(StoreError) in
            try write(record, id: .integer(next, writtenAsText: false), into: key)
          }
        }.get()
        if isNew { inserted += 1 } else { updated += 1 }
        next += 1
      }
    }
    return (inserted, updated)
  }

  /// Writes one feature; whether it is new.
  private func write(_ record: FeatureRecord, id: FeatureRecord.RawID, into key: Int64)
    throws(StoreError) -> Bool
  {
    try bind(record, id: id, key: key, to: insertion)
    if try insertion.run() > 0 { return true }
    try bind(record, id: id, key: key, to: replacement)
    try replacement.run()
    return false
  }

  private func bind(
    _ record: FeatureRecord, id: FeatureRecord.RawID, key: Int64, to statement: Statement
  ) throws(StoreError) {
    try statement.bind(key, at: 1)
    switch id {
    case .integer(let value, let writtenAsText):
      try statement.bind(value, at: 2)
      try statement.bind(writtenAsText ? 1 : 0, at: 3)
    case .text(let bytes):
      try statement.bindBorrowed(text: bytes, at: 2)
      try statement.bind(1, at: 3)
    }
    try statement.bindBorrowed(
      blob: PositionCoding.encode(record.coordinate, record.furtherOrdinates, into: position),
      at: 4)
    try statement.bindBorrowed(text: record.properties, at: 5)
  }

  /// Deletes one feature; false if it isn't there.
  func delete(_ feature: FeatureID, from key: Int64) throws(StoreError) -> Bool {
    try deletion.bind(key, at: 1)
    switch feature.key {
    case .integer(let value):
      try deletion.bind(value, at: 2)
      return try deletion.run() > 0
    case .text(let text):
      return try text.withUnsafeBytes { bytes in
        Result { () throws(StoreError) in
          try deletion.bindBorrowed(text: bytes, at: 2)
          return try deletion.run() > 0
        }
      }.get()
    }
  }

  /// Deletes every feature of a collection.
  func deleteAll(from key: Int64) throws(StoreError) {
    let statement = try Statement("DELETE FROM features WHERE collection = ?1", on: connection)
    try statement.bind(key, at: 1)
    try statement.run()
  }
}
