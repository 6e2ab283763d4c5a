#pragma once
#include <sqlite3.h>

// What Swift cannot import of SQLite: SQLITE_TRANSIENT, a macro that casts a number to a function. Nothing else lives
// here.

#if SQLITE_VERSION_NUMBER < 3035000
#error "SQLite 3.35 or later is needed"
#endif

// Binds a copy of the text.
static inline int sluice_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
  return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Binds a copy of the bytes.
static inline int sluice_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
  return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}
