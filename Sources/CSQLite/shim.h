#ifndef PINCLUSTER_CSQLITE_SHIM_H
#define PINCLUSTER_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds a copy of UTF-8 text. (SQLITE_TRANSIENT is a cast macro, which Swift can't import.)
static inline int csqlite_bind_text_copy(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
  return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

#endif
