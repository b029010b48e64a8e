import CDeflate
import CSQLite
import ClusterCore

/// The ids of features that have changed since the index file of their collection was written. A start
/// reads those features from the database and all others from the file.
///
/// The table `snapshots` names the index file of each collection by a random number, and the first change
/// that isn't in it. The table `changes` lists the changed ids. Both are written in the transaction that
/// writes the features. After too many changes the row of `snapshots` is deleted, and then the file.
final class ChangeLog {
  /// An index file, finished or not.
  struct File: Equatable {
    var nonce: Int64
    /// The number of the first change that isn't in it.
    var firstChange: Int64
  }

  /// The state of a collection.
  struct State {
    /// The file that the database names.
    var file: File?
    /// The file that is being written.
    var draft: File?
    /// The number of the next change.
    var next: Int64 = 0
    /// The lowest number that may be on disk.
    var oldest: Int64 = 0
    /// Features that had expired by this time may have been deleted, in milliseconds since 1970 (UTC).
    var expiredUntil: Int64 = FeatureRecord.expiryRange.lowerBound
    /// The most changes since a file; beyond them it is given up.
    var limit: Int64 = 0

    /// The number of changes since the file.
    var changes: Int64? { file.map { next - $0.firstChange } }
  }

  private(set) var states: [Int64: State] = [:]
  /// By collection: the numbers of files that are given up with this transaction.
  private var outrun: [Int64: Set<Int64>] = [:]

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
      INSERT INTO snapshots (collection, nonce, first_change, expired_until, checksum)
      VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (collection) DO UPDATE SET nonce = ?2,
        first_change = ?3, expired_until = ?4, checksum = ?5
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
        throw damage("a change has an impossible number")
      }
      states[ranges.integer(0)] = State(next: ranges.integer(2) + 1, oldest: ranges.integer(1))
    }
    let names = try Statement(
      """
      SELECT collection, nonce, first_change, expired_until, snapshots.checksum, feature_count
      FROM snapshots JOIN collections ON key = collection
      """, on: connection)
    while try names.step() {
      let (key, until) = (names.integer(0), names.integer(3))
      let file = File(nonce: names.integer(1), firstChange: names.integer(2))
      guard names.integer(4) == ChangeLog.checksum([key, file.nonce, file.firstChange, until])
      else { throw damage("the name of a stored index doesn't have its checksum") }
      var state = states[key] ?? State()
      state.file = file
      state.next = max(state.next, file.firstChange)
      state.expiredUntil = until
      state.limit = ChangeLog.limit(names.integer(5))
      states[key] = state
    }
  }

  private func damage(_ reason: String) -> StoreError {
    .damaged(path: connection.path, reason: reason)
  }

  /// The most changes for which reading them takes less time than reading all features.
  private static func limit(_ featureCount: Int64) -> Int64 { max(featureCount / 8, 1000) }

  private static func checksum(
    of id: FeatureRecord.RawID, numbered number: Int64, in key: Int64
  ) -> Int64 {
    switch id {
    case .integer(let value, _): checksum([key, number, value])
    case .text(let bytes): checksum([key, number], bytes)
    }
  }

  private static func checksum(_ numbers: [Int64], _ text: UnsafeRawBufferPointer? = nil) -> Int64 {
    var checksum: UInt32 = 0
    for number in numbers {
      checksum = withUnsafeBytes(of: number.littleEndian) {
        libdeflate_crc32(checksum, $0.baseAddress, $0.count)
      }
    }
    guard let text, !text.isEmpty else { return Int64(checksum) }
    return Int64(libdeflate_crc32(checksum, text.baseAddress, text.count))
  }

  // MARK: Within a transaction

  /// Notes that a feature was written or deleted.
  @inline(__always)
  func note(_ id: FeatureRecord.RawID, in key: Int64) throws(StoreError) {
    if states.isEmpty { return }
    try noteChange(id, key)
  }

  private func noteChange(_ id: FeatureRecord.RawID, _ key: Int64) throws(StoreError) {
    guard let state = states[key], isUsed(state, key) else { return }
    let number = state.next
    try insertion.bind(key, at: 1)
    try insertion.bind(number, at: 2)
    try insertion.bindBorrowed(id, at: 3)
    try insertion.bind(ChangeLog.checksum(of: id, numbered: number, in: key), at: 4)
    try insertion.run()
    states[key]?.next = number + 1
  }

  /// Whether any file still needs the changes of a collection. Gives up files with too many.
  private func isUsed(_ state: State, _ key: Int64) -> Bool {
    let outrun = outrun[key]
    var isUsed = false
    for case let file? in [state.file, state.draft] where outrun?.contains(file.nonce) != true {
      if state.next - file.firstChange < state.limit {
        isUsed = true
      } else {
        // It is given up with the commit, even if this part of the transaction is undone.
        self.outrun[key, default: []].insert(file.nonce)
      }
    }
    return isUsed
  }

  /// Notes that features that have expired by a time are deleted.
  func noteExpiry(until time: Int64, in key: Int64) throws(StoreError) {
    guard var state = states[key], time > state.expiredUntil else { return }
    state.expiredUntil = time
    states[key] = state
    if let file = state.file { try name(file, key, until: time) }
  }

  /// Deletes the rows of a collection that is dropped.
  func drop(_ key: Int64) throws(StoreError) {
    guard let state = states[key] else { return }
    try unname(key)
    try trim(key, below: state.next)
    for case let file? in [state.file, state.draft] { outrun[key, default: []].insert(file.nonce) }
  }

  /// Writes what is to be committed with the transaction.
  func flush() throws(StoreError) {
    for (key, nonces) in outrun where states[key]?.file.map({ nonces.contains($0.nonce) }) == true {
      try unname(key)
    }
  }

  /// Ends the transaction. After a commit the files that were given up are removed.
  func forget(isOnDisk: Bool) {
    if outrun.isEmpty { return }
    if isOnDisk {
      for (key, nonces) in outrun {
        guard var state = states[key] else { continue }
        if let file = state.file, nonces.contains(file.nonce) {
          state.file = nil
          IndexFiles.remove(file, of: key, besides: connection.path)
        }
        if let draft = state.draft, nonces.contains(draft.nonce) { state.draft = nil }
        states[key] = state
      }
    }
    outrun.removeAll()
  }

  // MARK: Files

  /// The names of all files that the database names.
  var names: Set<String> {
    Set(states.compactMap { key, state in state.file.map { IndexFiles.name($0, of: key) } })
  }

  /// Begins a file of a collection as it is now. Changes are noted from here on.
  func begin(_ key: Int64, featureCount: Int, nonce: Int64, expiredUntil: Int64) -> File {
    var state = states[key] ?? State()
    let file = File(nonce: nonce, firstChange: state.next)
    state.draft = file
    state.expiredUntil = max(state.expiredUntil, expiredUntil)
    state.limit = ChangeLog.limit(Int64(featureCount))
    states[key] = state
    return file
  }

  /// Whether the file that was begun is still wanted.
  func isWanted(_ file: File, of key: Int64) -> Bool { states[key]?.draft == file }

  /// Names a finished file, within a transaction.
  func name(_ file: File, of key: Int64) throws(StoreError) {
    try name(file, key, until: states[key]?.expiredUntil ?? FeatureRecord.expiryRange.lowerBound)
  }

  /// Replaces the file by the one that was begun, whose name has been committed.
  func take(_ file: File, of key: Int64) {
    if let old = states[key]?.file {
      IndexFiles.remove(old, of: key, besides: connection.path)
    }
    states[key]?.file = file
    states[key]?.draft = nil
  }

  /// Gives up the file that was begun.
  func abandon(_ file: File, of key: Int64) {
    if isWanted(file, of: key) { states[key]?.draft = nil }
  }

  /// Deletes the name of the file of a collection, within a transaction.
  func unname(_ key: Int64) throws(StoreError) {
    try unnaming.bind(key, at: 1)
    try unnaming.run()
  }

  /// Removes the file of a collection, after ``unname(_:)`` was committed.
  func forgetFile(_ key: Int64) {
    guard let file = states[key]?.file else { return }
    states[key]?.file = nil
    IndexFiles.remove(file, of: key, besides: connection.path)
  }

  private func name(_ file: File, _ key: Int64, until time: Int64) throws(StoreError) {
    try naming.bind(key, at: 1)
    try naming.bind(file.nonce, at: 2)
    try naming.bind(file.firstChange, at: 3)
    try naming.bind(time, at: 4)
    try naming.bind(
      ChangeLog.checksum([key, file.nonce, file.firstChange, time]), at: 5)
    try naming.run()
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
    try trimming.bind(key, at: 1)
    try trimming.bind(number, at: 2)
    try trimming.run()
  }

  /// Takes note that the changes below a number were deleted and committed.
  func setTrimmed(_ key: Int64, below number: Int64) { states[key]?.oldest = number }

  /// The ids that have changed since the file of a collection was written, each once, in no order. O(changes).
  func changedIDs(of key: Int64, since file: File) throws(StoreError) -> Set<FeatureID> {
    let rows = try Statement(
      "SELECT number, id, checksum FROM changes WHERE collection = ?1 AND number >= ?2",
      on: connection)
    try rows.bind(key, at: 1)
    try rows.bind(file.firstChange, at: 2)
    var ids: Set<FeatureID> = []
    while try rows.step() {
      let number = rows.integer(0)
      let id: FeatureID? =
        switch rows.type(1) {
        case SQLITE_INTEGER: try? FeatureID(integer: rows.integer(1), isWrittenAsText: false)
        case SQLITE_TEXT: rows.bytes(1).isUTF8 ? try? FeatureID(text: rows.bytes(1)) : nil
        default: nil
        }
      let checksum = id?.withRawID { ChangeLog.checksum(of: $0, numbered: number, in: key) }
      guard let id, checksum == rows.integer(2) else {
        throw damage("a change doesn't have its checksum")
      }
      ids.insert(id)
    }
    return ids
  }
}
