#ifndef PINCLUSTER_CSQLITE_SHIM_H
#define PINCLUSTER_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds a copy of UTF-8 text. (SQLITE_TRANSIENT is a cast macro, which Swift can't import.)
static inline int csqlite_bind_text_copy(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
  return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Says whether the last connection to close copies the log into the database and removes it.
/// (sqlite3_db_config is variadic, which Swift can't import.)
static inline void csqlite_fold_log_on_close(sqlite3 *connection, int folds) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !folds, (int *)0);
}

/// The error number of the last failure on the log or, without one, on the database file.
/// (sqlite3_system_errno misses failures while a transaction is committed.)
static inline int csqlite_last_errno(sqlite3 *connection) {
  sqlite3_file *log = 0;
  int number = 0;
  sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log && log->pMethods) {
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
  }
  if (number == 0) {
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
  }
  return number ? number : sqlite3_system_errno(connection);
}

#endif
