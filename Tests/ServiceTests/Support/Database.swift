import CSQLite
import TestSupport
import Testing

/// The database of a data directory, as another program sees it.
enum Database {
  /// Runs statements.
  static func execute(_ sql: String, in data: TemporaryDirectory) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(data.file("pincluster.db"), &handle) == SQLITE_OK)
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
  }
}

extension TemporaryDirectory {
  /// A copy of the files in it.
  func copied() throws -> TemporaryDirectory {
    let copy = try TemporaryDirectory()
    for name in names {
      try copy.write(try Fixtures.bytes(path: file(name)), as: name)
    }
    return copy
  }
}
