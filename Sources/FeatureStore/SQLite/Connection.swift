import CSQLite
import Glibc
internal import Texts
import Threading

/// The owner of a SQLite connection. Not `Sendable`: one user at a time, where ``isolation`` says.
final class Connection {
  /// How a file is opened.
  enum Mode {
    case existing
    /// A file that need not exist.
    case new
    /// For reading, also while others write. May make the file of the log's index.
    case readOnly
    /// For reading a file that no process writes to and that has no log. Makes no file beside it.
    case unchanging
    /// A new database in memory, whatever the path.
    case inMemory
  }

  /// The database file, as named in errors.
  let path: String
  /// Where the connection and its statements may be used. Debug builds check every use.
  var isolation = Isolation.unchecked
  private var mayGrow = true
  /// Why the last checkpoint failed; nil if it didn't.
  private(set) var logFault: String?
  /// Whether the log keeps everything until the next start; see ``checkpoint()``.
  private var keepsLog = false
  /// The size of a page in bytes; 0 if no space is taken ahead.
  private var pageSize: Int64 = 0
  private let pointer: OpaquePointer
  /// An object that must outlive the connection: the directory's lock.
  private let holder: AnyObject?

  /// SQLite's handle, for use on the confining thread or queue.
  var handle: OpaquePointer {
    isolation.check()
    return pointer
  }

  /// The error of a database that isn't as it was written.
  func damage(_ reason: String) -> StoreError { .damaged(path: path, reason: reason) }

  /// Opens a file.
  init(path: String, _ mode: Mode = .existing, holding holder: AnyObject? = nil) throws(StoreError)
  {
    var handle: OpaquePointer?
    let access =
      switch mode {
      case .existing: SQLITE_OPEN_READWRITE
      case .new, .inMemory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readOnly: SQLITE_OPEN_READONLY
      case .unchanging: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    // The caller confines the connection, so SQLite needs no mutex of its own. It may be built to take "file:…"
    // for a URI. A path that begins with . or / never is one.
    let plain = path.begins(with: "/") ? path : "./" + path
    let name =
      switch mode {
      case .unchanging: Connection.unchangingURI(plain)
      case .inMemory: ":memory:"
      case .existing, .new, .readOnly: plain
      }
    let code = sqlite3_open_v2(name, &handle, access | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      let error = StoreError(code: code, connection: handle, path: path)
      sqlite3_close_v2(handle)
      throw error
    }
    self.path = path
    pointer = handle
    self.holder = holder
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 2000)
    foldsLogOnClose(false)
  }

  /// The URI of a file that doesn't change: https://www.sqlite.org/uri.html.
  private static func unchangingURI(_ path: String) -> String {
    "file:\(PercentCoding.encode(path: path))?immutable=1"
  }

  deinit {
    // Every statement holds its connection, so none is left.
    sqlite3_close_v2(pointer)
    withExtendedLifetime(holder) {}
  }

  /// The error of the call that returned `code`.
  func error(_ code: Int32) -> StoreError {
    StoreError(code: code, connection: handle, path: path)
  }

  /// Runs statements that return nothing of interest.
  func execute(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// The first column of the first row, an integer.
  func integer(_ sql: String) throws(StoreError) -> Int64? {
    let statement = try Statement(sql, on: self)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The first column of the first row, a text.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try Statement(sql, on: self)
    return try statement.step() ? statement.text(0) : nil
  }

  /// The first columns of the first rows, texts.
  func texts(_ sql: String, atMost limit: Int) throws(StoreError) -> [String] {
    let statement = try Statement(sql, on: self)
    var texts: [String] = []
    while texts.count < limit, try statement.step() { texts.append(statement.text(0) ?? "") }
    return texts
  }

  /// Makes a running query of another thread fail. May be called on any thread while the connection is open.
  func interrupt() { sqlite3_interrupt(pointer) }

  /// Sets the size of the page cache, and frees the pages that aren't in use.
  func limitCache(toMebibytes limit: Int) {
    // The limit only affects speed, so a failure is ignored.
    sqlite3_exec(handle, "PRAGMA cache_size = -\(limit * 1024)", nil, nil, nil)
    sqlite3_db_release_memory(handle)
  }

  /// Chooses where temporary tables and the journals of savepoints are kept: in memory, so that writes
  /// depend on one disk only, or in a file. There must be no such table and no transaction.
  func keepTemporary(inMemory: Bool) {
    // Where they are kept only affects memory use, so a failure is ignored.
    sqlite3_exec(handle, "PRAGMA temp_store = \(inMemory ? 2 : 1)", nil, nil, nil)
  }

  /// Turns the check of foreign keys on or off. There must be no transaction.
  func checksReferences(_ checks: Bool) {
    // The check only costs time, so a failure is ignored.
    sqlite3_exec(handle, "PRAGMA foreign_keys = \(checks ? "ON" : "OFF")", nil, nil, nil)
  }

  /// Chooses whether closing copies the log into the database and removes it. By default it doesn't, so
  /// that a directory that turns out to be damaged stays as it was found.
  func foldsLogOnClose(_ folds: Bool) {
    csqlite_fold_log_on_close(handle, folds && !keepsLog ? 1 : 0)
  }

  /// Copies as much as possible of the log into the database, so that its space is used again.
  ///
  /// It does nothing any more once the database couldn't be synchronized: Linux then forgets the pages that it couldn't
  /// write, says so once, and takes later synchronizations for successful. SQLite doesn't copy these pages again, as it may
  /// have copied them for a checkpoint that a reader cut short, and would begin the log anew over the only copy that is
  /// left. A start copies the whole log.
  func checkpoint() {
    guard !keepsLog else { return }
    let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    switch code & 0xFF {
    case SQLITE_OK: logFault = nil
    // A reader or another checkpoint is under way.
    case SQLITE_BUSY, SQLITE_LOCKED: break
    default: logFault = "\(error(code))"
    }
    // SQLITE_IOERR_FSYNC, whose macro Swift doesn't see.
    guard code == SQLITE_IOERR | 4 << 8 else { return }
    keepsLog = true
    logFault = "\(logFault ?? ""); the log keeps all writes until the next start"
    foldsLogOnClose(false)
  }

  /// Sees to it that ``allocate(pages:)`` takes whole pages of so many bytes.
  func setPageSize(_ bytes: Int64) {
    pageSize = bytes
    var chunk = Int32(clamping: bytes)
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_CHUNK_SIZE, &chunk)
  }

  /// Takes the space on the disk for so many pages of the database's file, so that the log can be copied into it
  /// however full the disk is by then.
  func allocate(pages: Int64) throws(StoreError) {
    var bytes = try size(ofPages: pages)
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_SIZE_HINT, &bytes)
    guard code == SQLITE_OK else { throw error(code) }
  }

  private func size(ofPages pages: Int64) throws(StoreError) -> Int64 {
    let (size, overflows) = pages.multipliedReportingOverflow(by: pageSize)
    guard !overflows else { throw .full(reason: "the database would be too large") }
    return size
  }

  /// Gives back the space behind the last page: that of a write which was ended before it used it. There must be no log.
  func trim() throws(StoreError) {
    let pages = try integer("PRAGMA page_count") ?? 0
    if pages > 0 { try shrink(to: try size(ofPages: pages)) }
  }

  /// Gives back the space of the file beyond a size, in which there must be no page.
  func shrink(to size: Int64) throws(StoreError) {
    // Without a descriptor, as closing that would release the locks of SQLite.
    guard Int64(try DataDirectory.size(of: path) ?? 0) > size else { return }
    truncate(path, off_t(size))
  }

  /// Allows the database to get more pages than it has, or forbids it, until the next call.
  func mayGrow(_ mayGrow: Bool) {
    guard mayGrow != self.mayGrow else { return }
    self.mayGrow = mayGrow
    let pages = mayGrow ? 1_073_741_823 : (try? integer("PRAGMA page_count")) ?? 1
    // Without the limit only the use of a full disk is less good, so a failure is ignored.
    _ = try? integer("PRAGMA max_page_count = \(pages)")
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether the commit that has just failed had written all of the transaction to the log: it was to be synchronized, or
  /// entered into the log's index.
  var mayHaveCommitted: Bool {
    let code = sqlite3_extended_errcode(handle)
    // SQLITE_IOERR_FSYNC, _SHMOPEN, _SHMSIZE and _SHMMAP, whose macros Swift doesn't see.
    return code & 0xFF == SQLITE_IOERR && [4, 18, 19, 21].contains(code >> 8)
  }

  /// Whether the file could be opened for reading only.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

  /// Undoes the open transaction, if there is one. No failure leaves it open: SQLite rolls back by itself
  /// after errors that forbid an explicit rollback.
  func rollback() {
    if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  /// Runs `body` in a transaction: all of it is on disk when this returns, none if it throws.
  ///
  /// - Parameter begin: the statement that begins it.
  func transaction<R>(
    _ begin: String = "BEGIN IMMEDIATE", _ body: () throws(StoreError) -> R
  ) throws(StoreError) -> R {
    try execute(begin)
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      rollback()
      throw error
    }
  }
}
