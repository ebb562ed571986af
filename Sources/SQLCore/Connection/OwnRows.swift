import CSQLite

// The library's own statements, which read schemas. They bypass the statement cache and the
// observers.
extension ConnectionCore {
  /// Runs a statement of the library. Returns its rows as texts, with nil for NULL.
  func ownRows(_ sql: String, _ values: [String] = []) throws -> [[String?]] {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK else { throw error(code, sql: sql) }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      try check(
        csqlite_bind_text_copy(statement, Int32(index + 1), value, UInt64(value.utf8.count)))
    }
    var rows: [[String?]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            sqlite3_column_text(statement, column).map { String(cString: $0) }
          })
      case SQLITE_DONE: return rows
      case let code: throw error(code, sql: sql)
      }
    }
  }
}
