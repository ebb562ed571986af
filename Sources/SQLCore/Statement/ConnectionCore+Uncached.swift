import CSQLite

extension ConnectionCore {
  /// Runs one of the library's own statements, without the cache.
  package func run(pragma text: String) throws {
    let code = sqlite3_exec(handle, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, sql: text) }
  }

  /// Returns the integer that one of the library's own statements gives, without the cache.
  func integer(pragma text: String) throws -> Int {
    let statement = try compileOne(text).handle
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw failure(code, sql: text) }
    return Int(sqlite3_column_int64(statement, 0))
  }

  /// Returns the integer that a statement with one parameter gives, without the cache; nil for
  /// NULL.
  package func integer(_ sql: String, binding value: Int64) throws -> Int64? {
    let statement = try compileOne(sql).handle
    defer { sqlite3_finalize(statement) }
    try check(sqlite3_bind_int64(statement, 1, value), sql: sql)
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw failure(code, sql: sql) }
    return sqlite3_column_type(statement, 0) == SQLITE_NULL
      ? nil : sqlite3_column_int64(statement, 0)
  }
}
