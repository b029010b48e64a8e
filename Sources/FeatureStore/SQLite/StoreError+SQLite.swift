import CSQLite
import Glibc

extension StoreError {
  /// Translates an extended result code of SQLite.
  init(code: Int32, connection: OpaquePointer?, path: String) {
    var reason = String(cString: sqlite3_errstr(code))
    if let connection {
      let message = String(cString: sqlite3_errmsg(connection))
      if sqlite3_extended_errcode(connection) == code { reason = message }
    }
    let number =
      connection.map {
        code & 0xFF == SQLITE_IOERR ? csqlite_last_errno($0) : sqlite3_system_errno($0)
      } ?? 0
    switch code & 0xFF {
    // A page that the disk couldn't be read for is damaged to SQLite (SQLITE_IOERR_CORRUPTFS).
    case SQLITE_CORRUPT where number == EIO || number == ENXIO:
      self = .io(reason: "\(path) can't be read: \(message(errno: number))")
    case SQLITE_FULL: self = .full(reason: reason)
    case SQLITE_READONLY, SQLITE_PERM: self = .readOnly(reason: reason)
    case SQLITE_BUSY, SQLITE_LOCKED: self = .directoryInUse(path: path, processID: nil)
    case SQLITE_CANTOPEN, SQLITE_IOERR:
      if let error = StoreError(errno: number, path: path) {
        self = error
      } else if code & 0xFF == SQLITE_CANTOPEN {
        self = .unreadable(path: path, reason: number == 0 ? reason : message(errno: number))
      } else {
        self = .io(reason: number == 0 ? reason : "\(reason): \(message(errno: number))")
      }
    // The statements are fixed: one that doesn't fit the schema means that the schema was altered, and a
    // violated constraint means that the store didn't write the rows.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_SCHEMA,
      SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      self = .damaged(path: path, reason: reason)
    default: self = .io(reason: reason)
    }
  }
}
