#ifndef CSQLITEBENCH_H
#define CSQLITEBENCH_H

/* This switch makes the header declare the pre-update hook, which the library of the system has. */
#define SQLITE_ENABLE_PREUPDATE_HOOK 1

#include <malloc.h>
#include <sqlite3.h>

/* The C side of the benchmarks uses SQLite like any other program, and not through Apus. This
   header has only what Swift cannot import: SQLITE_STATIC is a macro with a cast. */

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
