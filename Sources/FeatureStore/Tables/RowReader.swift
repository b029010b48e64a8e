import CSQLite
import ClusterCore

/// Reads rows of `features` and checks what building a ``FeatureBatch`` relies on. Checks that take longer
/// are left to a ``RowChecker``, which may be on another thread.
final class RowReader {
  /// The rows that a reader reads of a collection, by the end of its query.
  enum Selection: String {
    /// All rows, in the order of ids.
    case all = "ORDER BY id"
    /// Single rows, by id.
    case single = "AND id = ?2"
    /// Rows after an id, in the order of ids.
    case slice = "AND id > ?2 ORDER BY id LIMIT ?3"
  }

  private let rows: Statement
  private let hasChecksums: Bool
  private let now: Int64
  /// The number of rows of expired features that were read.
  private(set) var expired = 0
  /// The number of rows with an expiry that were read.
  private(set) var expiring = 0
  private let coder = PositionCoder()
  private var isFinished = false

  /// - Parameters:
  ///   - hasChecksums: whether a row without a checksum is damaged.
  ///   - now: the time by which features have expired, in milliseconds since 1970 (UTC); by default none has.
  init(
    _ connection: Connection, _ selection: Selection, of key: Int64, hasChecksums: Bool,
    now: Int64 = .min
  ) throws(StoreError) {
    rows = try Statement(
      """
      SELECT id, written_as_text, position, properties, expires, checksum FROM features
      WHERE collection = ?1 \(selection.rawValue)
      """, on: connection)
    (self.hasChecksums, self.now) = (hasChecksums, now)
    try rows.bind(key, at: 1)
  }

  /// Reads the features with some ids, but those that have expired, in the order of the ids. Belongs to the caller's
  /// transaction.
  static func features(
    _ ids: [FeatureID], of info: CollectionInfo, on connection: Connection, now: Int64
  ) throws(StoreError) -> FeatureBatch {
    let reader = try RowReader(
      connection, .single, of: info.key, hasChecksums: info.hasChecksums, now: now)
    var rows = ReadRows()
    for id in ids { try reader.find(id, into: &rows) }
    try RowChecker(info.key, path: connection.path).check(rows)
    return rows.living.batch
  }

  /// Appends the next rows of ``Selection/all`` and returns whether there are any in `target`.
  func fill(_ target: inout ReadRows, upTo limit: Int) throws(StoreError) -> Bool {
    // Stepping a finished statement would begin again.
    while !isFinished, target.count < limit {
      if try rows.step() { try append(to: &target) } else { isFinished = true }
    }
    return target.count > 0
  }

  /// Appends the first rows after an id, or of all if it is nil, and returns whether there are any in `target`.
  func slice(
    after id: FeatureID?, limit: Int, into target: inout ReadRows
  ) throws(StoreError) -> Bool {
    try rows.bind(Int64(limit), at: 3)
    try rows.bind(Int64.min, at: 2)
    if let id {
      try id.withRawID { (id) throws(StoreError) in
        try rows.bindBorrowed(id, at: 2)
        while try rows.step() { try append(to: &target) }
      }
    } else {
      while try rows.step() { try append(to: &target) }
    }
    return target.count > 0
  }

  /// Appends the row with an id, if there is one.
  func find(_ id: FeatureID, into target: inout ReadRows) throws(StoreError) {
    try id.withRawID { (id) throws(StoreError) in
      try rows.bindBorrowed(id, at: 2)
      defer { rows.reset() }
      if try rows.step() { try append(to: &target) }
    }
  }

  private func append(to target: inout ReadRows) throws(StoreError) {
    guard rows.type(2) == SQLITE_BLOB, let position = coder.decode(rows.bytes(2)) else {
      throw damage("position")
    }
    let form = rows.integer(1)
    guard form == 0 || form == 1 else { throw damage("form of id") }
    guard let id = rows.id(0, isWrittenAsText: form == 1) else { throw damage("id") }
    guard rows.type(3) == SQLITE_TEXT else { throw damage("properties") }
    let properties = rows.bytes(3)
    guard properties.count > 1, properties[0] == UInt8(ascii: "{"),
      properties[properties.count - 1] == UInt8(ascii: "}")
    else { throw damage("properties") }
    let expires = rows.optionalInteger(4)
    guard expires.map(FeatureRecord.expiryRange.contains) ?? (rows.type(4) == SQLITE_NULL) else {
      throw damage("expiry")
    }
    let checksum = rows.optionalInteger(5)
    guard checksum != nil || !hasChecksums else { throw damage("checksum") }
    func append(to features: inout ReadRows.Features) {
      features.checksums.append(checksum)
      features.batch.append(
        id: id, coordinate: position.coordinate, further: position.further,
        properties: properties, expires: expires)
    }
    if expires != nil { expiring += 1 }
    if let expires, expires <= now {
      expired += 1
      append(to: &target.expired)
    } else {
      append(to: &target.living)
    }
  }

  private func damage(_ column: String) -> StoreError {
    .damaged(path: rows.connection.path, reason: "a feature has an invalid \(column)")
  }
}
