// The functions of DuckDB's C library that ApusAnalytics calls, declared in its own words. They are
// found in a library that is loaded at run time, so nothing here is linked.
// https://duckdb.org/docs/stable/clients/c/overview

#ifndef APUS_CDUCKDB_H
#define APUS_CDUCKDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What DuckDB lends: each is a pointer that only DuckDB reads.
typedef struct adb_database_s *adb_database;
typedef struct adb_connection_s *adb_connection;
typedef struct adb_config_s *adb_config;
typedef struct adb_statement_s *adb_statement;
typedef struct adb_pending_s *adb_pending;
typedef struct adb_appender_s *adb_appender;
typedef struct adb_chunk_s *adb_chunk;
typedef struct adb_vector_s *adb_vector;

// The result of a statement. The caller owns the memory, DuckDB what it points to.
typedef struct {
  uint64_t unused_counts[3];
  void *unused_columns;
  char *unused_message;
  void *internal;
} adb_result;

// A text or a BLOB in a vector: up to 12 bytes in place, or the first four and a pointer to all.
typedef union {
  struct {
    uint32_t count;
    char prefix[4];
    const char *bytes;
  } far;
  struct {
    uint32_t count;
    char bytes[12];
  } near;
} adb_text;

// The types of columns that results have.
enum {
  ADB_BOOLEAN = 1,
  ADB_TINYINT = 2,
  ADB_SMALLINT = 3,
  ADB_INTEGER = 4,
  ADB_BIGINT = 5,
  ADB_DOUBLE = 11,
  ADB_VARCHAR = 17,
  ADB_BLOB = 18,
  ADB_SQLNULL = 36,
};

// Success, of most functions.
enum { ADB_SUCCESS = 0 };

// The states of a result that is being made.
enum { ADB_READY = 0, ADB_NOT_READY = 1, ADB_ERROR = 2, ADB_NO_TASKS = 3 };

// Each function: its result, its name without `duckdb_`, the names of its parameters, and these.
#define ADB_FUNCTIONS(F) \
  F(void, free, (memory), void *memory) \
  F(int, create_config, (config), adb_config *config) \
  F(int, set_config, (config, name, value), \
    adb_config config, const char *name, const char *value) \
  F(void, destroy_config, (config), adb_config *config) \
  F(int, open_ext, (path, database, config, error), \
    const char *path, adb_database *database, adb_config config, char **error) \
  F(void, close, (database), adb_database *database) \
  F(int, connect, (database, connection), adb_database database, adb_connection *connection) \
  F(void, disconnect, (connection), adb_connection *connection) \
  F(void, interrupt, (connection), adb_connection connection) \
  F(int, query, (connection, sql, result), \
    adb_connection connection, const char *sql, adb_result *result) \
  F(const char *, result_error, (result), adb_result *result) \
  F(void, destroy_result, (result), adb_result *result) \
  F(int, prepare, (connection, sql, statement), \
    adb_connection connection, const char *sql, adb_statement *statement) \
  F(const char *, prepare_error, (statement), adb_statement statement) \
  F(void, destroy_prepare, (statement), adb_statement *statement) \
  F(int, bind_null, (statement, index), adb_statement statement, uint64_t index) \
  F(int, bind_int64, (statement, index, value), \
    adb_statement statement, uint64_t index, int64_t value) \
  F(int, bind_double, (statement, index, value), \
    adb_statement statement, uint64_t index, double value) \
  F(int, bind_varchar_length, (statement, index, bytes, count), \
    adb_statement statement, uint64_t index, const char *bytes, uint64_t count) \
  F(int, bind_blob, (statement, index, bytes, count), \
    adb_statement statement, uint64_t index, const void *bytes, uint64_t count) \
  F(int, pending_prepared_streaming, (statement, pending), \
    adb_statement statement, adb_pending *pending) \
  F(int, pending_execute_task, (pending), adb_pending pending) \
  F(int, execute_pending, (pending, result), adb_pending pending, adb_result *result) \
  F(const char *, pending_error, (pending), adb_pending pending) \
  F(void, destroy_pending, (pending), adb_pending *pending) \
  F(uint64_t, column_count, (result), adb_result *result) \
  F(int, column_type, (result, column), adb_result *result, uint64_t column) \
  F(adb_chunk, fetch_chunk, (result), adb_result result) \
  F(uint64_t, data_chunk_get_size, (chunk), adb_chunk chunk) \
  F(adb_vector, data_chunk_get_vector, (chunk, column), adb_chunk chunk, uint64_t column) \
  F(void, destroy_data_chunk, (chunk), adb_chunk *chunk) \
  F(void *, vector_get_data, (vector), adb_vector vector) \
  F(uint64_t *, vector_get_validity, (vector), adb_vector vector) \
  F(int, appender_create, (connection, schema, table, appender), \
    adb_connection connection, const char *schema, const char *table, adb_appender *appender) \
  F(const char *, appender_error, (appender), adb_appender appender) \
  F(int, appender_end_row, (appender), adb_appender appender) \
  F(int, appender_close, (appender), adb_appender appender) \
  F(int, appender_destroy, (appender), adb_appender *appender) \
  F(int, append_null, (appender), adb_appender appender) \
  F(int, append_int64, (appender, value), adb_appender appender, int64_t value) \
  F(int, append_double, (appender, value), adb_appender appender, double value) \
  F(int, append_varchar_length, (appender, bytes, count), \
    adb_appender appender, const char *bytes, uint64_t count) \
  F(int, append_blob, (appender, bytes, count), \
    adb_appender appender, const void *bytes, uint64_t count)

// The addresses of the functions in a loaded library, which is never unloaded.
typedef struct {
#define ADB_FIELD(RESULT, NAME, ARGUMENTS, ...) RESULT (*NAME)(__VA_ARGS__);
  ADB_FUNCTIONS(ADB_FIELD)
#undef ADB_FIELD
} adb_functions;

// The functions. They may be called once `adb_find` has returned NULL.
extern adb_functions adb_found;

#define ADB_CALL(RESULT, NAME, ARGUMENTS, ...) \
  static inline RESULT adb_##NAME(__VA_ARGS__) { return adb_found.NAME ARGUMENTS; }
ADB_FUNCTIONS(ADB_CALL)
#undef ADB_CALL

// Loads a library by path or by the rules of the system's loader. With `isGlobal`, the libraries
// that are loaded later find its functions. Returns NULL, and why in `error`, if it cannot; the
// caller frees the error.
void *adb_load(const char *path, bool isGlobal, char **error);

// Fills in the functions of a loaded library, once. Returns NULL, or the name of the first function
// that the library lacks.
const char *adb_find(void *handle);

// Returns the version of a loaded library, or NULL.
const char *adb_version(void *handle);

// The bytes of a text or a BLOB in a vector.
static inline const char *adb_text_bytes(const adb_text *text) {
  return text->near.count <= 12 ? text->near.bytes : text->far.bytes;
}

#endif
