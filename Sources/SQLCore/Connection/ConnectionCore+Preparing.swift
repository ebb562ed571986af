import CSQLite

extension ConnectionCore {
  /// Applies the configuration to a new connection. The order matters: the busy handler comes
  /// before the journal mode, which may have to wait for a lock, and the caller's closure comes
  /// last.
  func prepare(location: DatabaseLocation) throws {
    sqlite3_extended_result_codes(handle, 1)
    installInterruption()
    csqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    csqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
    csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    csqlite_db_config(
      handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, configuration.trustsSchema ? 1 : 0)
    if !configuration.trustsSchema {
      csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    }
    try ArrayTable.register(on: self)
    for step in Registration.decimal.steps { try step.install(self) }
    installAuthorizer()
    do {
      if location.isFile, !isReader, !configuration.isReadOnly {
        try turnOnWAL()
        try run(pragma: "PRAGMA journal_size_limit = \(configuration.maximumWALBytes)")
        try installLogBound()
      } else {
        // SQLite opens files lazily: only the first read shows that a file is not a database.
        try run(pragma: "PRAGMA schema_version")
      }
      // Checks each page more thoroughly when it is read, at some cost.
      if !configuration.trustsSchema { try run(pragma: "PRAGMA cell_size_check = ON") }
      try run(pragma: "PRAGMA synchronous = \(configuration.synchronous.rawValue)")
      try run(
        pragma: "PRAGMA foreign_keys = \(configuration.enforcesForeignKeys ? "ON" : "OFF")")
    } catch let error as DatabaseError {
      throw location.describe(error, configuration, on: handle)
    }
    do {
      state.pointee.attachingFolder = location.workingFolder
      defer { state.pointee.attachingFolder = nil }
      try configuration.prepareConnection?(lend())
      endLease()
      if isReader || configuration.isReadOnly { try run(pragma: "PRAGMA query_only = ON") }
    } catch var error as DatabaseError {
      if case .file(let file) = location { error.message = "\(file.path): \(error.message)" }
      throw error
    }
    state.pointee.authorizer.isReader = isReader || configuration.isReadOnly
    state.pointee.authorizer.lock = SchemaLock(configuration.schemaPolicy)
  }

  /// Turns on WAL mode, and waits while other connections do so.
  ///
  /// Two connections that turn it on at once both hold a read lock, and neither can write before the
  /// other lets go. SQLite returns busy to one of them without calling its busy handler.
  private func turnOnWAL() throws {
    let allowed =
      state.pointee.longestWait ?? UInt64(configuration.busyTimeout.wholeMilliseconds) &* 1_000_000
    let start = Deadline.now.nanoseconds
    while true {
      do {
        return try run(pragma: "PRAGMA journal_mode = WAL")
      } catch let error as DatabaseError
        where error.code.primary == .busy && state.pointee.stopReason == nil
        && Deadline.now.nanoseconds &- start < allowed
      {
        pause(nanoseconds: 1_000_000)
      }
    }
  }

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

extension Duration {
  /// The duration in milliseconds, rounded up and clamped to the range of a C int.
  var wholeMilliseconds: Int32 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    guard !overflow else { return seconds < 0 ? 0 : .max }
    let more = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: max(0, scaled.addingReportingOverflow(more).partialValue))
  }
}
