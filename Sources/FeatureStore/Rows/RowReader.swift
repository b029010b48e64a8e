import CSQLite
import ClusterCore

/// Reads rows of `features` and checks what building a ``FeatureBatch`` relies on. Checks that take longer
/// are left to a ``RowChecker``, which may be on another thread.
final class RowReader {
  private static let columns =
    "SELECT id, written_as_text, position, properties, expires, checksum FROM features "

  private let rows: Statement
  private let hasChecksums: Bool
  private let now: Int64
  /// The number of rows of expired features that were read.
  private(set) var expired = 0
  /// The number of rows with an expiry that were read.
  private(set) var expiring = 0
  private let further: UnsafeMutableBufferPointer<Double>
  private var isFinished = false

  /// Reads all rows of a collection, in the order of ids.
  convenience init(
    _ connection: Connection, allOf key: Int64, hasChecksums: Bool, now: Int64
  ) throws(StoreError) {
    try self.init(
      Statement(RowReader.columns + "WHERE collection = ?1 ORDER BY id", on: connection), key,
      hasChecksums, now)
  }

  /// Reads single rows of a collection.
  convenience init(
    _ connection: Connection, someOf key: Int64, hasChecksums: Bool, now: Int64
  ) throws(StoreError) {
    try self.init(
      Statement(RowReader.columns + "WHERE collection = ?1 AND id = ?2", on: connection), key,
      hasChecksums, now)
  }

  /// Reads the rows of a collection in slices. None counts as expired, and none needs a checksum.
  convenience init(_ connection: Connection, slicesOf key: Int64) throws(StoreError) {
    try self.init(
      Statement(
        RowReader.columns + "WHERE collection = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
        on: connection), key, false, FeatureRecord.expiryRange.lowerBound)
  }

  private init(
    _ rows: Statement, _ key: Int64, _ hasChecksums: Bool, _ now: Int64
  ) throws(StoreError) {
    self.rows = rows
    self.hasChecksums = hasChecksums
    self.now = now
    try rows.bind(key, at: 1)
    further = .allocate(capacity: FeatureBatch.maximumFurtherOrdinates)
  }

  deinit { further.deallocate() }

  /// Appends the next rows and returns whether there are any in `target`.
  func fill(_ target: inout ReadRows, upTo limit: Int) throws(StoreError) -> Bool {
    // Stepping a finished statement would begin again.
    while !isFinished, target.count < limit {
      if try rows.step() { try append(to: &target) } else { isFinished = true }
    }
    return target.count > 0
  }

  /// Appends the first rows after an id, or of all if it is nil. Returns whether there are any in `target`.
  func slice(
    after id: FeatureID?, limit: Int, into target: inout ReadRows
  ) throws(StoreError) -> Bool {
    try rows.bind(Int64(limit), at: 3)
    guard let id else {
      try rows.bind(Int64.min, at: 2)
      return try appendAll(to: &target)
    }
    return try id.withRawID { (id) throws(StoreError) in
      try rows.bindBorrowed(id, at: 2)
      return try appendAll(to: &target)
    }
  }

  private func appendAll(to target: inout ReadRows) throws(StoreError) -> Bool {
    while try rows.step() { try append(to: &target) }
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
    guard rows.type(2) == SQLITE_BLOB,
      let position = PositionCoding.decode(rows.bytes(2), further: further)
    else { throw damage("position") }
    let id = try self.id()
    guard rows.type(3) == SQLITE_TEXT else { throw damage("properties") }
    let properties = rows.bytes(3)
    guard properties.count > 1, properties[0] == UInt8(ascii: "{"),
      properties[properties.count - 1] == UInt8(ascii: "}")
    else { throw damage("properties") }
    var expires: Int64?
    switch rows.type(4) {
    case SQLITE_NULL: break
    case SQLITE_INTEGER where FeatureRecord.expiryRange.contains(rows.integer(4)):
      expires = rows.integer(4)
    default: throw damage("expiry")
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

  private func id() throws(StoreError) -> FeatureID {
    let form = rows.integer(1)
    guard form == 0 || form == 1 else { throw damage("form of id") }
    do {
      switch rows.type(0) {
      case SQLITE_INTEGER:
        return try FeatureID(integer: rows.integer(0), isWrittenAsText: form == 1)
      case SQLITE_TEXT:
        let text = rows.bytes(0)
        guard text.isUTF8 else { throw damage("id") }
        let id = try FeatureID(text: text)
        if case .integer = id.key { throw damage("id") }
        return id
      default: throw damage("id")
      }
    } catch { throw damage("id") }
  }

  private func damage(_ column: String) -> StoreError {
    .damaged(path: rows.connection.path, reason: "a feature has an invalid \(column)")
  }
}
