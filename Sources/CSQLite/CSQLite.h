#ifndef CSQLITE_H
#define CSQLITE_H

/* These switches make the header declare functions that it otherwise hides. The library has them if
   it was built with the same switches. */
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_COLUMN_METADATA 1

#include <sqlite3.h>

/* A build of SQLite may lack these functions. The references to them are weak, so that a program links
   and starts without them; `SQLiteLibrary.Feature` says which the library has. Code asks it before it
   calls one of them. */
#pragma weak sqlite3_preupdate_blobwrite
#pragma weak sqlite3_preupdate_count
#pragma weak sqlite3_preupdate_depth
#pragma weak sqlite3_preupdate_hook
#pragma weak sqlite3_preupdate_new
#pragma weak sqlite3_preupdate_old
#pragma weak sqlite3session_attach
#pragma weak sqlite3session_changeset
#pragma weak sqlite3session_create
#pragma weak sqlite3session_delete
#pragma weak sqlite3session_diff
#pragma weak sqlite3session_enable
#pragma weak sqlite3session_indirect
#pragma weak sqlite3session_isempty
#pragma weak sqlite3session_patchset
#pragma weak sqlite3changeset_apply
#pragma weak sqlite3changeset_concat
#pragma weak sqlite3changeset_conflict
#pragma weak sqlite3changeset_finalize
#pragma weak sqlite3changeset_fk_conflicts
#pragma weak sqlite3changeset_invert
#pragma weak sqlite3changeset_new
#pragma weak sqlite3changeset_next
#pragma weak sqlite3changeset_old
#pragma weak sqlite3changeset_op
#pragma weak sqlite3changeset_pk
#pragma weak sqlite3changeset_start
#pragma weak sqlite3_column_database_name
#pragma weak sqlite3_column_origin_name
#pragma weak sqlite3_column_table_name
#pragma weak sqlite3_unlock_notify

static inline int csqlite_has_preupdate_hook(void) { return sqlite3_preupdate_hook != 0; }
static inline int csqlite_has_sessions(void) { return sqlite3session_create != 0; }
static inline int csqlite_has_column_metadata(void) { return sqlite3_column_origin_name != 0; }

#ifdef __APPLE__
/* Apple's SQLite loads no extensions, and its header does not declare the function. */
static inline int csqlite_has_extensions(void) { return 0; }
#else
#pragma weak sqlite3_load_extension
static inline int csqlite_has_extensions(void) { return sqlite3_load_extension != 0; }
#endif

/* SQLCipher and other encrypting builds have this function. Apple's linker finds no weak function that
   is in no library, so that a program for Apple's systems says that it links such a build. */
#if defined(SQLITE_HAS_CODEC) || !defined(__APPLE__)
extern int sqlite3_key_v2(sqlite3 *db, const char *database, const void *key, int count);
#pragma weak sqlite3_key_v2
static inline int csqlite_has_encryption(void) { return sqlite3_key_v2 != 0; }
static inline int csqlite_key(sqlite3 *db, const char *database, const void *key, int count) {
  return sqlite3_key_v2(db, database, key, count);
}
#else
static inline int csqlite_has_encryption(void) { return 0; }
static inline int csqlite_key(sqlite3 *db, const char *database, const void *key, int count) {
  return SQLITE_ERROR;
}
#endif

/* Swift cannot call variadic functions, so there is a wrapper for each call that Apus needs. */

static inline int csqlite_db_config(sqlite3 *db, int option, int value) {
  int now = 0;
  return sqlite3_db_config(db, option, value, &now);
}

static inline int csqlite_db_config_value(sqlite3 *db, int option) {
  int now = 0;
  sqlite3_db_config(db, option, -1, &now);
  return now;
}

static inline int csqlite_config_memory_status(int value) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, value);
}

static inline int csqlite_vtab_config(sqlite3 *db, int option) {
  return sqlite3_vtab_config(db, option, 1);
}

/* SQLITE_STATIC and SQLITE_TRANSIENT are macros with casts, which Swift cannot import. An empty
   Swift string may have no address, which SQLite would take for NULL: hence `text ? text : ""`. */

static inline int csqlite_bind_text_static(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text ? text : "", count, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int csqlite_bind_text_copy(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob_static(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_STATIC);
}

static inline int csqlite_bind_blob_copy(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline void csqlite_result_text_copy(
    sqlite3_context *context, const char *text, sqlite3_uint64 count) {
  sqlite3_result_text64(context, text ? text : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline void csqlite_result_blob_copy(
    sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
  sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

/* Returns the first page of the wal-index of the main database, which other processes change; NULL if
   there is none. The connection must use the write-ahead log already: for another one, this would
   create the file of the wal-index. https://www.sqlite.org/c3ref/io_methods.html */
static inline const void *csqlite_wal_index(sqlite3 *db) {
  sqlite3_file *file = 0;
  void volatile *page = 0;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
  if (!file || !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return 0;
  if (file->pMethods->xShmMap(file, 0, 32768, 0, &page) != SQLITE_OK) return 0;
  return (const void *)page;
}

#endif
