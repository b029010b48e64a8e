import CSQLite
import ClusterCore

extension FeatureStore {
  /// Calls `body` with the features of a collection but those that have expired, in batches and in the
  /// order of their ids: integers by value, then text by bytes. Rethrows what `body` throws.
  /// `body` must not write to the store.
  ///
  /// Throws ``StoreError/damaged(path:reason:)`` if a row isn't one that the store wrote, as far as
  /// that shows, or if there aren't as many as the collection's row says.
  ///
  /// - Parameters:
  ///   - key: the collection's key; without such a collection there are no batches.
  ///   - batchSize: the most features in a batch.
  /// - Returns: how many features had expired.
  @discardableResult
  public func forEachBatch(
    of key: Int64, batchSize: Int = 20_000, _ body: (FeatureBatch) throws -> Void
  ) throws -> Int {
    let core = try opened()
    let info = try core.collections.find(key: key)
    let expected = info?.featureCount ?? 0
    // Nobody reads the same pages again soon.
    defer {
      if activeImport == nil { core.connection.limitCache(toMebibytes: DatabaseFile.ordinaryCache) }
    }
    let reader = try FeatureReader(
      core.connection, key: key, hasChecksums: info?.hasChecksums ?? false, now: clock.now)
    var batch = FeatureBatch()
    var total = 0
    while try reader.fill(&batch, upTo: max(1, batchSize)) {
      total += batch.count
      try body(batch)
      batch.removeAll()
    }
    // Within an import the row has yet to be written.
    guard total + reader.expired == expected || activeImport != nil else {
      throw StoreError.damaged(
        path: core.connection.path,
        reason: "a collection of \(expected) features has \(total + reader.expired) rows")
    }
    // Expired rows are found by their index: it must know of every one.
    guard try core.features.countExpiring(in: key) == reader.expiring else {
      throw StoreError.damaged(
        path: core.connection.path, reason: "the index of expiries isn't that of the features")
    }
    return reader.expired
  }
}

/// Reads the rows of a collection, mistrusting them: a flipped bit must not become a trap later.
private final class FeatureReader {
  private let rows: Statement
  private let key: Int64
  private let hasChecksums: Bool
  private let now: Int64
  /// How many rows of expired features were passed over.
  private(set) var expired = 0
  /// How many rows of features that expire were read.
  private(set) var expiring = 0
  private let further: UnsafeMutableBufferPointer<Double>
  private var isFinished = false
  private var previous: FeatureID?

  init(
    _ connection: Connection, key: Int64, hasChecksums: Bool, now: Int64
  ) throws(StoreError) {
    self.key = key
    self.hasChecksums = hasChecksums
    self.now = now
    rows = try Statement(
      """
      SELECT id, written_as_text, position, properties, expires, checksum FROM features
      WHERE collection = ?1 ORDER BY id
      """, on: connection)
    try rows.bind(key, at: 1)
    further = .allocate(capacity: FeatureBatch.maximumFurtherOrdinates)
  }

  deinit { further.deallocate() }

  /// Appends the next rows; false if there are none.
  func fill(_ batch: inout FeatureBatch, upTo limit: Int) throws(StoreError) -> Bool {
    // A finished statement would begin again.
    while !isFinished, batch.count < limit {
      if try rows.step() { try append(to: &batch) } else { isFinished = true }
    }
    return !batch.isEmpty
  }

  private func append(to batch: inout FeatureBatch) throws(StoreError) {
    guard rows.type(2) == SQLITE_BLOB,
      let position = PositionCoding.decode(rows.bytes(2), further: further)
    else { throw damage("position") }
    let id = try self.id()
    let properties = rows.bytes(3)
    guard rows.type(3) == SQLITE_TEXT, properties.first == UInt8(ascii: "{"),
      properties.last == UInt8(ascii: "}"), properties.count > 1, properties.isUTF8
    else { throw damage("properties") }
    let expires = rows.optionalInteger(4)
    guard rows.type(4) == SQLITE_NULL || expires.map(FeatureRecord.expiryRange.contains) == true
    else { throw damage("expiry") }
    try check(id, rows.bytes(2), properties, expires)
    // A damaged page may give one row twice and another not at all.
    if let previous, previous >= id { throw damage("place") }
    previous = id
    if expires != nil { expiring += 1 }
    if let expires, expires <= now {
      expired += 1
      return
    }
    batch.append(
      id: id, coordinate: position.coordinate, further: position.further, properties: properties,
      expires: expires)
  }

  /// Compares the row with its checksum. Rows of collections that are older than checksums may have
  /// none.
  private func check(
    _ id: FeatureID, _ position: UnsafeRawBufferPointer, _ properties: UnsafeRawBufferPointer,
    _ expires: Int64?
  ) throws(StoreError) {
    if !hasChecksums, rows.type(5) == SQLITE_NULL { return }
    let rawID: FeatureRecord.RawID =
      switch id.key {
      case .integer(let value): .integer(value, writtenAsText: id.isWrittenAsText)
      case .text: .text(rows.bytes(0))
      }
    let row = FeatureRow(id: rawID, position: position, properties: properties, expires: expires)
    guard rows.optionalInteger(5) == row.checksum(in: key) else { throw damage("checksum") }
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

extension UnsafeRawBufferPointer {
  /// Whether the bytes are valid UTF-8; eight at a time as long as they are ASCII.
  var isUTF8: Bool {
    var offset = 0
    while offset + 8 <= count,
      loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    { offset += 8 }
    let rest = self[offset...]
    return rest.allSatisfy { $0 < 0x80 } || String(validating: rest, as: UTF8.self) != nil
  }
}
