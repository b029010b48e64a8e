import CSQLite
import ClusterCore
internal import Texts

/// Reads and writes the rows of `collections` and the database's counter. Writes belong to the caller's
/// transaction.
///
/// Many writes may share a transaction, so changed rows and the counter are kept in memory until
/// ``flush()`` writes them, before the commit.
final class CollectionTable {
  private static let columns =
    "key, id, title, description, version, largest_integer, feature_count, ttl, has_checksums, "
    + "checksum, time_start, time_end"

  private let listing: Statement
  private let search: Statement
  private let searchByKey: Statement
  private let insertion: Statement
  private let update: Statement
  private let deletion: Statement
  private let renaming: Statement
  private let dropped: Statement
  private let raise: Statement
  private let versions: VersionCounter

  /// Rows that are still to be written, by the collections' ids.
  // Characters: ids of collections, which are of ASCII
  private var changed: [String: CollectionInfo] = [:]
  /// The ceiling of versions that the open transaction has written.
  private var ceiling: Int64?
  /// The previous values in `changed`, of each change since ``mark()``, the latest last.
  private var undo: [(id: String, info: CollectionInfo?)] = []

  init(_ connection: Connection, versions: VersionCounter) throws(StoreError) {
    self.versions = versions
    let columns = CollectionTable.columns
    listing = try Statement("SELECT \(columns) FROM collections ORDER BY id", on: connection)
    search = try Statement("SELECT \(columns) FROM collections WHERE id = ?1", on: connection)
    searchByKey = try Statement(
      "SELECT \(columns) FROM collections WHERE key = ?1", on: connection)
    insertion = try Statement(
      """
      INSERT INTO collections (key, id, version, largest_integer, feature_count, has_checksums)
      VALUES (?1, ?2, ?1, 0, 0, 1)
      """, on: connection)
    update = try Statement(
      """
      UPDATE collections SET title = ?2, description = ?3, version = ?4, largest_integer = ?5,
        feature_count = ?6, ttl = ?7, checksum = ?8, time_start = ?9, time_end = ?10
      WHERE key = ?1
      """, on: connection)
    deletion = try Statement("DELETE FROM collections WHERE key = ?1", on: connection)
    renaming = try Statement(
      "UPDATE collections SET id = ?2, version = ?3, checksum = ?4 WHERE key = ?1", on: connection)
    dropped = try Statement(
      """
      SELECT \(columns) FROM collections WHERE id LIKE '%\(CollectionTable.droppedMark)' LIMIT 1
      """, on: connection)
    raise = try Statement("UPDATE store SET version = ?1", on: connection)
  }

  // MARK: The transaction

  /// Writes the changed rows, and a new ceiling if the present one is near.
  func flush() throws(StoreError) {
    for info in changed.values { try write(info) }
    ceiling = versions.dueCeiling
    if let ceiling { try saveCeiling(ceiling) }
  }

  /// Ends the transaction: nothing is left to be written.
  ///
  /// - Parameter isOnDisk: whether it was committed.
  func forget(isOnDisk: Bool) {
    if isOnDisk, let ceiling { versions.setCeiling(ceiling) }
    changed.removeAll()
    undo.removeAll()
    ceiling = nil
  }

  /// Begins a part of the transaction that can be undone.
  func mark() { undo.removeAll() }

  /// Undoes the changes since ``mark()``. Versions that were given stay so.
  func undoToMark() {
    while let (id, info) = undo.popLast() { changed[id] = info }
  }

  private func change(_ id: String, to info: CollectionInfo?) {
    undo.append((id, changed[id]))
    changed[id] = info
  }

  // MARK: Rows

  /// Every collection, by id.
  func all() throws(StoreError) -> [CollectionInfo] {
    var result: [CollectionInfo] = []
    defer { listing.reset() }
    while try listing.step() {
      let info = try CollectionTable.info(listing)
      if !info.id.ends(with: CollectionTable.droppedMark) { result.append(info) }
    }
    return result
  }

  /// The collection with an id.
  func find(_ id: String) throws(StoreError) -> CollectionInfo? {
    if let info = changed[id] { return info }
    try search.bind(id, at: 1)
    return try search.first(body: CollectionTable.info)
  }

  /// The collection with a key.
  func find(key: Int64) throws(StoreError) -> CollectionInfo? {
    try searchByKey.first(key, body: CollectionTable.info)
  }

  /// The next value of the database's counter, the version of one write.
  func nextVersion() -> Int64 { versions.nextToWrite() }

  /// Writes the ceiling of versions.
  func saveCeiling(_ version: Int64) throws(StoreError) {
    guard try raise.run(version) == 1 else {
      throw raise.connection.damage("its counter is missing")
    }
  }

  /// Creates a collection. Its key is its first version, so no key is used twice.
  func create(_ id: String, version: Int64) throws(StoreError) -> CollectionInfo {
    try insertion.bind(id, at: 2)
    try insertion.run(version)
    return CollectionInfo(
      key: version, id: id, title: nil, description: nil, version: version, largestInteger: 0,
      featureCount: 0, ttl: nil, temporal: nil, hasChecksums: true)
  }

  /// Keeps a changed row for ``flush()``.
  func save(_ info: CollectionInfo) { change(info.id, to: info) }

  private func write(_ info: CollectionInfo) throws(StoreError) {
    try update.bind(info.title, at: 2)
    try update.bind(info.description, at: 3)
    try update.bind(info.version, at: 4)
    try update.bind(info.largestInteger, at: 5)
    try update.bind(Int64(info.featureCount), at: 6)
    try update.bind(info.ttl, at: 7)
    try update.bind(info.checksum, at: 8)
    try update.bind(info.temporal?.columns.start, at: 9)
    try update.bind(info.temporal?.columns.end, at: 10)
    try update.run(info.key)
  }

  /// Removes a collection, which must be empty.
  func delete(_ info: CollectionInfo) throws(StoreError) {
    try deletion.run(info.key)
    change(info.id, to: nil)
  }

  // MARK: Dropped collections

  /// The text after the key in the id of a dropped collection whose rows are still there. It holds a space,
  /// which no id of a client does.
  private static let droppedMark = " dropped"

  /// Gives up a collection's id, which another one may take from now on. Its rows are still to be deleted.
  ///
  /// - Parameter version: that of the drop, by which a start notices if it was lost.
  func setAside(_ info: CollectionInfo, at version: Int64) throws(StoreError) {
    guard var renamed = try find(key: info.key) else { return }
    renamed.id = "\(info.key)\(CollectionTable.droppedMark)"
    renamed.version = version
    try renaming.bind(renamed.id, at: 2)
    try renaming.bind(version, at: 3)
    try renaming.bind(renamed.checksum, at: 4)
    try renaming.run(info.key)
    change(info.id, to: nil)
  }

  /// A dropped collection whose rows are still there; nil if there is none.
  func anyDropped() throws(StoreError) -> CollectionInfo? {
    try dropped.first(body: CollectionTable.info)
  }

  private static func info(_ row: Statement) throws(StoreError) -> CollectionInfo {
    // Bounds, so that no later addition can overflow.
    let plausible: ClosedRange<Int64> = 0...FeatureID.integerRange.upperBound
    guard row.type(0) == SQLITE_INTEGER, let id = row.text(1),
      [4, 5, 6].allSatisfy({
        row.type($0) == SQLITE_INTEGER && plausible.contains(row.integer($0))
      }),
      row.type(7) == SQLITE_NULL || plausible.contains(row.integer(7)), 0...1 ~= row.integer(8)
    else {
      throw row.connection.damage("a collection's row makes no sense")
    }
    let info = CollectionInfo(
      key: row.integer(0), id: id, title: row.text(2), description: row.text(3),
      version: row.integer(4), largestInteger: row.integer(5), featureCount: Int(row.integer(6)),
      ttl: row.optionalInteger(7),
      temporal: TemporalProperties(start: row.text(10), end: row.text(11)),
      hasChecksums: row.integer(8) == 1)
    // Rows that were written before there were checksums have none.
    guard row.type(9) == SQLITE_NULL || row.integer(9) == info.checksum else {
      throw row.connection.damage("a collection's row doesn't have its checksum")
    }
    return info
  }
}
