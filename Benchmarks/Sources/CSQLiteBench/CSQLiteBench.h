#ifndef CSQLITEBENCH_H
#define CSQLITEBENCH_H

#include <sqlite3.h>

/* The C side of the benchmarks sees SQLite as any program does, and not through Apus. Only what
   Swift cannot import stands here: SQLITE_STATIC is a macro with a cast. */

static inline int csqlite_bench_bind_text(
    sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text ? text : "", count, SQLITE_STATIC);
}

static inline int csqlite_bench_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}

#endif
