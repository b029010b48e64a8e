import CSQLite
import ClusterCore

/// The ids of features that have changed since the index file of their collection was written. A start
/// reads those features from the database and all others from the file.
///
/// The table `snapshots` names the index file of each collection by a random number, and the first change
/// that isn't in it. The table `changes` lists the changed ids. Both are written in the transaction that
/// writes the features. After too many changes the row of `snapshots` is deleted, and then the file.
final class ChangeLog {
  /// The state of a collection.
  struct State {
    /// The file that the database names.
    var file: IndexFileName?
    /// The file that is being written.
    var draft: IndexFileName?
    /// The number of the next change.
    var next: Int64 = 0
    /// The lowest number that may be on disk.
    var oldest: Int64 = 0
    /// Features that had expired by this time may have been deleted, in milliseconds since 1970 (UTC).
    var expiredUntil: Int64 = FeatureRecord.expiryRange.lowerBound
    /// The most changes since a file; beyond them it is given up.
    var limit: Int64 = 0

    /// Sets the limit by the number of features in the file.
    mutating func setLimit(featureCount: Int) {
      limit = Int64(IndexFile.mostChanges(of: featureCount))
    }
  }

  private(set) var states: [Int64: State] = [:]
  /// The files that are given up with this transaction.
  private var outrun: Set<IndexFileName> = []

  private let connection: Connection
  private let insertion: Statement
  private let naming: Statement
  private let unnaming: Statement
  private let trimming: Statement

  /// Prepares the statements and reads the tables. O(changes).
  init(_ connection: Connection) throws(StoreError) {
    self.connection = connection
    insertion = try Statement(
      "INSERT INTO changes (collection, number, id, checksum) VALUES (?1, ?2, ?3, ?4)",
      on: connection)
    naming = try Statement(
      """
      INSERT OR REPLACE INTO snapshots (collection, nonce, first_change, expired_until, checksum)
      VALUES (?1, ?2, ?3, ?4, ?5)
      """, on: connection)
    unnaming = try Statement("DELETE FROM snapshots WHERE collection = ?1", on: connection)
    trimming = try Statement(
      "DELETE FROM changes WHERE collection = ?1 AND number < ?2", on: connection)
    try readStates()
  }

  private func readStates() throws(StoreError) {
    let ranges = try Statement(
      "SELECT collection, min(number), max(number) FROM changes GROUP BY collection",
      on: connection)
    while try ranges.step() {
      guard ranges.integer(1) >= 0, ranges.integer(2) < FeatureID.integerRange.upperBound else {
        throw connection.damage("a change has an impossible number")
      }
      states[ranges.integer(0)] = State(next: ranges.integer(2) + 1, oldest: ranges.integer(1))
    }
    let names = try Statement(
      """
      SELECT collection, nonce, first_change, expired_until, snapshots.checksum, feature_count
      FROM snapshots JOIN collections ON key = collection
      """, on: connection)
    while try names.step() {
      let file = IndexFileName(
        key: names.integer(0), nonce: names.integer(1), firstChange: names.integer(2))
      let until = names.integer(3)
      guard names.integer(4) == ChangeLog.checksum(of: file, until: until) else {
        throw connection.damage("the name of a stored index doesn't have its checksum")
      }
      var state = states[file.key] ?? State()
      state.file = file
      state.next = max(state.next, file.firstChange)
      state.expiredUntil = until
      state.setLimit(featureCount: Int(names.integer(5)))
      states[file.key] = state
    }
  }

  private static func checksum(of file: IndexFileName, until time: Int64) -> Int64 {
    checksum([file.key, file.nonce, file.firstChange, time])
  }

  private static func checksum(
    of id: FeatureRecord.RawID, numbered number: Int64, in key: Int64
  ) -> Int64 {
    switch id {
    case .integer(let value, _): checksum([key, number, value])
    case .text(let bytes): checksum([key, number], bytes)
    }
  }

  private static func checksum(
    _ numbers: [Int64],
    _ text: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) -> Int64 {
    let start = numbers.reduce(0) { checksum, number in
      withUnsafeBytes(of: number.littleEndian) { $0.crc32(after: checksum) }
    }
    return Int64(text.crc32(after: start))
  }

  // MARK: Within a transaction

  /// Notes that a feature was written or deleted.
  @inline(__always)
  func note(_ id: FeatureRecord.RawID, in key: Int64) throws(StoreError) {
    if states.isEmpty { return }
    try noteChange(id, key)
  }

  private func noteChange(_ id: FeatureRecord.RawID, _ key: Int64) throws(StoreError) {
    guard let state = states[key], isUsed(state) else { return }
    try insertion.bind(key, at: 1)
    try insertion.bind(state.next, at: 2)
    try insertion.bindBorrowed(id, at: 3)
    try insertion.bind(ChangeLog.checksum(of: id, numbered: state.next, in: key), at: 4)
    try insertion.run()
    states[key]?.next += 1
  }

  /// Whether any file still needs the changes of a collection. Gives up files with too many.
  private func isUsed(_ state: State) -> Bool {
    var isUsed = false
    for case let file? in [state.file, state.draft] where !outrun.contains(file) {
      if state.next - file.firstChange < state.limit {
        isUsed = true
      } else {
        // It is given up with the commit, even if this part of the transaction is undone.
        outrun.insert(file)
      }
    }
    return isUsed
  }

  /// Notes that features that have expired by a time are deleted.
  func noteExpiry(until time: Int64, in key: Int64) throws(StoreError) {
    guard let state = states[key], time > state.expiredUntil else { return }
    states[key]?.expiredUntil = time
    if let file = state.file { try name(file) }
  }

  /// Gives up the files of a collection that is dropped. Its changes stay until they are trimmed.
  func drop(_ key: Int64) throws(StoreError) {
    guard let state = states[key] else { return }
    try unname(key)
    outrun.formUnion([state.file, state.draft].compactMap(\.self))
  }

  /// Writes the notes to commit with the transaction.
  func flush() throws(StoreError) {
    for file in outrun where states[file.key]?.file == file { try unname(file.key) }
  }

  /// Ends the transaction. After a commit the files that were given up are removed.
  func forget(isOnDisk: Bool) {
    if outrun.isEmpty { return }
    for file in outrun where isOnDisk {
      if states[file.key]?.file == file { removeFile(of: file.key) }
      abandon(file)
    }
    outrun.removeAll()
  }

  // MARK: Files

  /// Begins a file of a collection as it is now. Changes are noted from here on.
  func begin(_ key: Int64, featureCount: Int, expiredUntil: Int64) -> IndexFileName {
    var state = states[key] ?? State()
    let file = IndexFileName(
      key: key, nonce: Int64(bitPattern: UInt64.random(in: .min ... .max)), firstChange: state.next)
    state.draft = file
    // If an earlier file was given up because the clock had gone back, its time doesn't count for this one.
    state.expiredUntil = state.file == nil ? expiredUntil : max(state.expiredUntil, expiredUntil)
    state.setLimit(featureCount: featureCount)
    states[key] = state
    return file
  }

  /// Whether the file that was begun is still wanted.
  func isWanted(_ file: IndexFileName) -> Bool { states[file.key]?.draft == file }

  /// Names a finished file, within a transaction.
  func name(_ file: IndexFileName) throws(StoreError) {
    let until = states[file.key]?.expiredUntil ?? FeatureRecord.expiryRange.lowerBound
    let checksum = ChangeLog.checksum(of: file, until: until)
    try naming.run(file.key, file.nonce, file.firstChange, until, checksum)
  }

  /// Replaces the file by the one that was begun, whose name has been committed.
  func take(_ file: IndexFileName) {
    removeFile(of: file.key)
    states[file.key]?.file = file
    states[file.key]?.draft = nil
  }

  /// Gives up the file that was begun.
  func abandon(_ file: IndexFileName) {
    if isWanted(file) { states[file.key]?.draft = nil }
  }

  /// Deletes the name of the file of a collection, within a transaction.
  func unname(_ key: Int64) throws(StoreError) { try unnaming.run(key) }

  /// Removes the file of a collection, whose name isn't in the database any more.
  func removeFile(of key: Int64) {
    guard let file = states[key]?.file else { return }
    states[key]?.file = nil
    DataDirectory.remove(file.path(besides: connection.path))
  }

  // MARK: Old changes

  /// The number below which changes may be deleted, at most `count` of them; nil if every change is needed.
  func toTrim(_ key: Int64, atMost count: Int64) -> Int64? {
    guard let state = states[key] else { return nil }
    let needed = state.file?.firstChange ?? state.draft?.firstChange ?? state.next
    return state.oldest < needed ? min(needed, state.oldest + count) : nil
  }

  /// Deletes the changes below a number, within a transaction.
  func trim(_ key: Int64, below number: Int64) throws(StoreError) {
    try trimming.run(key, number)
  }

  /// Takes note that the changes below a number were deleted and committed.
  func setTrimmed(_ key: Int64, below number: Int64) { states[key]?.oldest = number }

  // MARK: Reading

  /// The index of a collection by its file and the rows that have changed since, without features that have expired; nil if
  /// the file is missing or damaged. O(n + k log n) for k changes. The rows are read in one transaction, the caller's if
  /// there is one.
  func index(
    of info: CollectionInfo, from file: IndexFileName, storeID: UInt64, now: Int64
  ) throws -> (index: FeatureIndex, changes: Int)? {
    let path = file.path(besides: connection.path)
    guard let source = IndexFile(path, of: .init(storeID: storeID, file)) else { return nil }
    let ids = try changedIDs(since: file)
    let read = { [connection] () throws(StoreError) in
      try RowReader.features(ids, of: info, on: connection, now: now)
    }
    // Without a transaction each row would lock the database.
    let batch = try connection.isInTransaction ? read() : connection.transaction("BEGIN", read)
    guard let index = FeatureIndex.decode(source) else { return nil }
    let gone = index.expired(at: now)
    if gone.isEmpty, ids.isEmpty { return (index, 0) }
    return (try index.applying([.remove(gone + ids), .upsert(batch)]).index, ids.count)
  }

  /// The ids that have changed since a file was written, ascending, each once. O(k log k) for k changes.
  private func changedIDs(since file: IndexFileName) throws(StoreError) -> [FeatureID] {
    let rows = try Statement(
      "SELECT number, id, checksum FROM changes WHERE collection = ?1 AND number >= ?2",
      on: connection)
    try rows.bind(file.key, at: 1)
    try rows.bind(file.firstChange, at: 2)
    var ids: Set<FeatureID> = []
    while try rows.step() {
      let id = rows.id(1, isWrittenAsText: false)
      let checksum = id?.withRawID {
        ChangeLog.checksum(of: $0, numbered: rows.integer(0), in: file.key)
      }
      guard let id, checksum == rows.integer(2) else {
        throw connection.damage("a change doesn't have its checksum")
      }
      ids.insert(id)
    }
    return ids.sorted()
  }
}
