import CSQLite

extension ConnectionCore {
  /// Returns a number that changes when another connection commits to the file, but not when this
  /// connection does.
  ///
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_data_version>
  package func dataVersion() throws -> Int32 {
    guard !isRemote else {
      return Int32(truncatingIfNeeded: try integer(pragma: "PRAGMA data_version"))
    }
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, "PRAGMA data_version", -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw error(code) }
    return sqlite3_column_int(statement, 0)
  }

  /// A number that changes with each commit to the main database, by this connection or, once this
  /// connection has begun to read, by another one. Reading it runs no statement, so a commit hook
  /// may use it.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>
  package var contentVersion: UInt32 {
    // An engine that does not answer counts as one with another version.
    guard !isRemote else { return UInt32(bitPattern: (try? dataVersion()) ?? -1) }
    var version: UInt32 = 0
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Returns the number that each change of the main database's schema increases. Runs one short
  /// statement, which is not reported to the connection's observer.
  package func schemaVersion() throws -> Int32 {
    let statement = try state.pointee.statements.schemaVersion ?? prepareSchemaVersion()
    let code = sqlite3_step(statement)
    defer { sqlite3_reset(statement) }
    guard code == SQLITE_ROW else { throw error(code) }
    return sqlite3_column_int(statement, 0)
  }

  private func prepareSchemaVersion() throws -> OpaquePointer? {
    var statement: OpaquePointer?
    try check(
      sqlite3_prepare_v3(
        handle, "PRAGMA schema_version", -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    state.pointee.statements.keep(schemaVersion: statement)
    return statement
  }
}
