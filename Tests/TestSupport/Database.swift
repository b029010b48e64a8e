import CSQLite

/// The database of a data directory, as another program sees it: each call has a connection of its own.
public enum Database {
  /// What SQLite says of a failure.
  public struct Failure: Error, Sendable {
    /// Its words.
    public let reason: String
  }

  /// Runs statements.
  public static func execute(_ sql: String, in data: TemporaryDirectory) throws {
    try open(data) { try check(sqlite3_exec($0, sql, nil, nil, nil), $0) }
  }

  /// What a query of one number answers.
  public static func integer(_ query: String, in data: TemporaryDirectory) throws -> Int {
    try open(data) { handle in
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      try check(sqlite3_prepare_v2(handle, query, -1, &statement, nil), handle)
      try check(sqlite3_step(statement), handle, expecting: SQLITE_ROW)
      return Int(sqlite3_column_int64(statement, 0))
    }
  }

  private static func open<R>(
    _ data: TemporaryDirectory, _ body: (OpaquePointer?) throws -> R
  ) throws -> R {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try check(sqlite3_open(data.file("pincluster.db"), &handle), handle)
    return try body(handle)
  }

  private static func check(
    _ code: Int32, _ handle: OpaquePointer?, expecting expected: Int32 = SQLITE_OK
  ) throws {
    guard code != expected else { return }
    throw Failure(reason: String(cString: sqlite3_errmsg(handle)))
  }
}
