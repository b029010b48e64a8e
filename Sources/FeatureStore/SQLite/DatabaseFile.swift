import Glibc
internal import Texts

/// Creates, opens and checks `pincluster.db`.
///
/// A new database is completed under another name and then renamed. So a file named `pincluster.db` that
/// is empty, cut short or not a database is damaged, never the trace of an interrupted start. A
/// write-ahead log without its database is damage too. A new database is created only where there is
/// neither.
enum DatabaseFile {
  static let name = "pincluster.db"
  /// The size of a page, in bytes.
  static let pageSize = 8192
  /// The size of the page cache in MiB; enough for batches that are written in the order of their ids.
  static let ordinaryCache = 32
  /// The size of the page cache in MiB for rows that are only appended.
  static let appendingCache = 8
  /// The size of the page cache in MiB for imports, whose batches may each touch every page of a collection.
  static let importCache = 256

  /// Whether a directory has a database.
  static func exists(in directory: String) throws(StoreError) -> Bool {
    try DataDirectory.size(of: directory + "/" + name) != nil
  }

  /// Opens the database of a locked directory, or creates one.
  static func open(in directory: String, holding lock: DirectoryLock) throws(StoreError)
    -> Connection
  {
    let path = directory + "/" + name
    if let size = try DataDirectory.size(of: path) {
      try checkHeader(path, size: size)
    } else {
      guard try DataDirectory.size(of: path + "-wal") == nil else {
        throw .damaged(path: path, reason: "it is missing, but its log \(name)-wal is there")
      }
      guard try !CommitMark.exists(besides: path) else {
        throw .damaged(
          path: path,
          reason: "it is missing, but \(CommitMark.fileName), a note of what it held, is there")
      }
      try create(path, in: directory)
    }
    let hasLog = try DataDirectory.size(of: path + "-wal") ?? 0 > 0
    try LogIndexFile.checkRoom(besides: path)
    let connection = try Connection(path: path, holding: lock)
    guard !connection.isReadOnly else {
      throw .readOnly(reason: "\(path) can't be opened for writing")
    }
    // SQLite would notice at the first write.
    for file in [path + "-wal", path + "-shm"] where access(file, W_OK) != 0 && errno != ENOENT {
      throw .readOnly(reason: "\(file) can't be opened for writing")
    }
    try checkIdentity(connection)
    try LogIndexFile.reserve(besides: path)
    try checkStructure(connection)
    try CommitMark.check(connection)
    try configure(connection)
    if !hasLog { try connection.trim() }
    try Schema.migrate(connection, from: Int(connection.integer("PRAGMA user_version") ?? 0))
    return connection
  }

  /// Opens the database of a directory for reading, which doesn't need the directory's lock.
  ///
  /// - Returns: the connection, the version of the schema, and whether a process holds the directory.
  static func openForReading(
    in directory: String, leavesNoTrace: Bool
  ) throws(StoreError) -> (connection: Connection, schema: Int, isHeld: Bool) {
    let path = directory + "/" + name
    guard let size = try DataDirectory.size(of: path) else {
      throw .unreadable(path: path, reason: "there is no such file")
    }
    try checkHeader(path, size: size)
    var isHeld = false
    let share = DirectoryShare(directory: directory, isHeld: &isHeld)
    // Where a log can't be made, as on a medium that can't be written, the database is opened as one that doesn't
    // change. Nobody else can open the directory as long as it is shared.
    let log = try DataDirectory.size(of: path + "-wal") ?? 0
    let isUnchanging = !isHeld && log == 0 && (leavesNoTrace || access(directory, W_OK) != 0)
    if !isUnchanging { try LogIndexFile.checkRoom(besides: path) }
    let connection = try Connection(
      path: path, isUnchanging ? .unchanging : .readOnly, holding: isUnchanging ? share : nil)
    // Everything is read as it is now, whatever is written meanwhile.
    try connection.execute("BEGIN")
    try checkIdentity(connection)
    let schema = Int(try connection.integer("PRAGMA user_version") ?? 0)
    return (connection, schema, isHeld)
  }

  private static func create(_ path: String, in directory: String) throws(StoreError) {
    let draft = path + ".new"
    for suffix in ["", "-journal"] { DataDirectory.remove(draft + suffix) }
    do {
      let connection = try Connection(path: draft, .new)
      try connection.execute(
        """
        PRAGMA page_size = \(pageSize);
        PRAGMA encoding = 'UTF-8';
        PRAGMA application_id = \(Schema.applicationID);
        """)
      try Schema.migrate(connection, from: 0)
      let id = Int64(bitPattern: UInt64.random(in: .min ... .max))
      try connection.execute("INSERT INTO store (one, id, version) VALUES (1, \(id), 0)")
    }
    try DataDirectory.synchronize(draft)
    try DataDirectory.move(draft, to: path, in: directory)
  }

  /// Checks the parts of the header that SQLite would misread rather than refuse. The offsets are those of
  /// SQLite's file format.
  private static func checkHeader(_ path: String, size: Int) throws(StoreError) {
    guard size > 0 else { throw .damaged(path: path, reason: "it is empty") }
    let header = try DataDirectory.prefix(of: path, count: 100)
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw .damaged(path: path, reason: "it is not a SQLite database")
    }
    let reserved = header[20]
    let formats = header[18...19]
    let encoding = header[56..<60]
    guard formats.allSatisfy({ $0 == 1 || $0 == 2 }), reserved == 0,
      encoding.elementsEqual([0, 0, 0, 1])
    else { throw .damaged(path: path, reason: "its header is not one that this program wrote") }
  }

  /// Checks that the database is of a known schema. Reading the first page also finds a file that was cut
  /// short.
  private static func checkIdentity(_ connection: Connection) throws(StoreError) {
    let path = connection.path
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    guard try connection.integer("PRAGMA application_id") == Schema.applicationID else {
      throw .damaged(path: path, reason: "it belongs to another application")
    }
    let found = Int(try connection.integer("PRAGMA user_version") ?? 0)
    guard found > 0 else { throw .damaged(path: path, reason: "it has no schema version") }
    guard found <= Schema.version else {
      throw .newerSchema(path: path, found: found, supported: Schema.version)
    }
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let free = try connection.integer("PRAGMA freelist_count") ?? 0
    guard free < pages else {
      throw .damaged(path: path, reason: "it claims more free pages than it has pages")
    }
  }

  /// The most pages for which a start checks every page, which takes some tenths of a second.
  private static let pagesToCheck = 16_384

  /// Whether there are free pages to check, and too many pages to check them during the start.
  static func needsPageCheck(_ connection: Connection) throws(StoreError) -> Bool {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let free = try connection.integer("PRAGMA freelist_count") ?? 0
    return pages > pagesToCheck && free > 0
  }

  /// Checks every page.
  static func checkPages(_ connection: Connection) throws(StoreError) {
    try check("quick_check", connection)
  }

  /// Checks what reading every feature doesn't find and writing would fail on: the small tables with their
  /// indexes and, if there are any, the free pages.
  static func checkStructure(_ connection: Connection) throws(StoreError) {
    var checks = ["integrity_check(store)", "integrity_check(collections)"]
    if try connection.integer("PRAGMA user_version") ?? 0 > 2 {
      checks += ["integrity_check(snapshots)", "integrity_check(changes)"]
    }
    if try connection.integer("PRAGMA freelist_count") ?? 0 > 0,
      try !needsPageCheck(connection)
    {
      checks.append("quick_check")
    }
    for check in checks { try self.check(check, connection) }
  }

  private static func check(_ check: String, _ connection: Connection) throws(StoreError) {
    let finding = try connection.text("PRAGMA \(check)")
    guard finding == "ok" else {
      // SQLITE_IOERR_CORRUPTFS: the disk couldn't be read.
      if finding?.holds("error code=8458") == true {
        throw .io(reason: "\(connection.path) can't be read")
      }
      let reason = finding?.parts(separatedBy: UInt8(ascii: "\n")).last { !$0.isEmpty }.map(
        String.init)
      throw connection.damage(reason ?? "it can't be checked")
    }
  }

  private static func configure(_ connection: Connection) throws(StoreError) {
    try connection.execute(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA cell_size_check = ON;
      PRAGMA journal_size_limit = 67108864;
      """)
    connection.limitCache(toMebibytes: ordinaryCache)
    connection.keepTemporary(inMemory: true)
    connection.setPageSize(try connection.integer("PRAGMA page_size") ?? 0)
    guard try connection.text("PRAGMA journal_mode") == "wal" else {
      throw .io(reason: "\(connection.path): the file system doesn't support a write-ahead log")
    }
  }
}
