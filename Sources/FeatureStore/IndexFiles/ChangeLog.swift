import CDeflate
import CSQLite
import ClusterCore

/// Which features have changed since the index of a large collection was written to a file, so that
/// after a crash the file is as good as before: those are read from the database, all else from it.
///
/// `snapshots` names the file of each collection, by its random number, and the first change that it
/// doesn't know; `changes` lists the ids. Both are written with the features, in one transaction. Where
/// too much has changed the row of `snapshots` goes, and the file with it.
final class ChangeLog {
  /// A file, or one that is being written.
  struct File: Equatable {
    var nonce: Int64
    /// The number of the first change that it doesn't know.
    var firstChange: Int64
  }

  /// What is known about a collection.
  struct State {
    /// The file that the database names.
    var file: File?
    /// The one that is being written.
    var draft: File?
    /// The number of the next change.
    var next: Int64 = 0
    /// The lowest number that may be on disk.
    var oldest: Int64 = 0
    /// What had expired by then may have been deleted, in milliseconds since 1970.
    var expiredUntil: Int64 = FeatureRecord.expiryRange.lowerBound
    /// The most changes that are noted.
    var limit: Int64 = 0

    /// How many changes there are since the file.
    var changes: Int64? { file.map { next - $0.firstChange } }
  }

  private(set) var states: [Int64: State] = [:]
  /// Files that have been left behind by too many changes in this transaction.
  private var outrun: [Int64: Set<Int64>] = [:]

  private let connection: Connection
  private let insertion: Statement
  private let naming: Statement
  private let unnaming: Statement
  private let trimming: Statement

  /// The statements, and what the tables hold. O(changes).
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

  /// The most changes of a collection of some features: to read those takes less time than to read all.
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

  /// Notes that a feature is another from now on, or no more.
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

  /// Whether changes of a collection are worth noting; from now on not for files with too many.
  private func isUsed(_ state: State, _ key: Int64) -> Bool {
    let outrun = outrun[key]
    var isUsed = false
    for case let file? in [state.file, state.draft] where outrun?.contains(file.nonce) != true {
      if state.next - file.firstChange < state.limit {
        isUsed = true
      } else {
        // Unnamed with the commit, whatever becomes of a part of the transaction.
        self.outrun[key, default: []].insert(file.nonce)
      }
    }
    return isUsed
  }

  /// Notes that features are deleted that have expired by a time.
  func noteExpiry(until time: Int64, in key: Int64) throws(StoreError) {
    guard var state = states[key], time > state.expiredUntil else { return }
    state.expiredUntil = time
    states[key] = state
    if let file = state.file { try name(file, key, until: time) }
  }

  /// Forgets a collection that is dropped.
  func drop(_ key: Int64) throws(StoreError) {
    guard let state = states[key] else { return }
    try unname(key)
    try trim(key, below: state.next)
    for case let file? in [state.file, state.draft] { outrun[key, default: []].insert(file.nonce) }
  }

  /// What is to be written before the transaction is committed.
  func flush() throws(StoreError) {
    for (key, nonces) in outrun where states[key]?.file.map({ nonces.contains($0.nonce) }) == true {
      try unname(key)
    }
  }

  /// The transaction is over.
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

  /// The names of all files that the database knows of.
  var names: Set<String> {
    Set(states.compactMap { key, state in state.file.map { IndexFiles.name($0, of: key) } })
  }

  /// Begins a file of a collection as it is now; its changes are noted from here on.
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

  /// The file that was begun is the one from now on: its name is on disk.
  func take(_ file: File, of key: Int64) {
    if let old = states[key]?.file {
      IndexFiles.remove(old, of: key, besides: connection.path)
    }
    states[key]?.file = file
    states[key]?.draft = nil
  }

  /// The file that was begun has not come about.
  func abandon(_ file: File, of key: Int64) {
    if isWanted(file, of: key) { states[key]?.draft = nil }
  }

  /// The file is of no use: it is no longer named, within a transaction.
  func unname(_ key: Int64) throws(StoreError) {
    try unnaming.bind(key, at: 1)
    try unnaming.run()
  }

  /// As above, afterwards.
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

  /// The changes that no file needs, as far as one turn should go: below which number.
  func toTrim(_ key: Int64, atMost count: Int64) -> Int64? {
    guard let state = states[key] else { return nil }
    let needed = state.file?.firstChange ?? state.draft?.firstChange ?? state.next
    return state.oldest < needed ? min(needed, state.oldest + count) : nil
  }

  /// Deletes changes, within a transaction.
  func trim(_ key: Int64, below number: Int64) throws(StoreError) {
    try trimming.bind(key, at: 1)
    try trimming.bind(number, at: 2)
    try trimming.run()
  }

  /// As above, afterwards.
  func setTrimmed(_ key: Int64, below number: Int64) { states[key]?.oldest = number }

  /// The ids that have changed since the file of a collection was written, each once, in no order.
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
