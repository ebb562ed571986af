import CSQLiteBench

/// An error of SQLite on the C side.
struct CError: Error {
  let code: Int32
}

@inline(__always)
func check(_ code: Int32) throws {
  guard code == SQLITE_OK else { throw CError(code: code) }
}

/// A connection that is opened through the C API, with the same settings as a connection of Apus:
/// without SQLite's mutexes, with a busy timeout of five seconds, in WAL mode, with
/// `synchronous=NORMAL`.
final class CConnection {
  let handle: OpaquePointer

  init(path: String) throws {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw CError(code: code)
    }
    handle = opened
    sqlite3_busy_timeout(handle, 5_000)
    try execute("PRAGMA journal_mode = WAL")
    try execute("PRAGMA synchronous = NORMAL")
    try execute("PRAGMA foreign_keys = ON")
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  func execute(_ sql: String) throws {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    try check(
      sqlite3_prepare_v3(
        handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw CError(code: SQLITE_MISUSE) }
    return statement
  }

  /// Runs a closure with a prepared statement, which is finalized afterwards.
  func withStatement<Result>(
    _ sql: String, _ body: (OpaquePointer) throws -> Result
  ) throws -> Result {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    return try body(statement)
  }

  /// Runs a closure between a BEGIN and a COMMIT.
  func transaction<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
    try execute(begin)
    let result = try body()
    try execute("COMMIT")
    return result
  }
}

/// Binds an integer to the only parameter of a statement, and runs the statement, which returns no
/// rows.
func run(_ statement: OpaquePointer, with value: Int64) throws {
  sqlite3_bind_int64(statement, 1, value)
  guard sqlite3_step(statement) == SQLITE_DONE else {
    throw CError(code: sqlite3_reset(statement))
  }
  sqlite3_reset(statement)
}
