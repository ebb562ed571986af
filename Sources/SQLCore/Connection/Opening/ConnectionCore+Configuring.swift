import CSQLite

extension ConnectionCore {
  /// Applies the configuration to a new connection. The order matters. The busy handler comes
  /// before the journal mode, because setting the mode may wait for a lock. The caller's closure
  /// comes after all settings except `query_only`.
  func prepare(location: DatabaseLocation) throws {
    sqlite3_extended_result_codes(handle, 1)
    installInterruption()
    try unlock(location)
    csqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
    csqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
    csqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    csqlite_db_config(
      handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, configuration.trustsSchema ? 1 : 0)
    try ArrayTable.register(on: self)
    if case .remote(let database) = location { return try prepare(for: database) }
    for step in Registration.decimal.steps { try step.install(self) }
    for step in Registration.series.steps { try step.install(self) }
    for step in Registration.queries.steps { try step.install(self) }
    try loadExtensions()
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
      if let notify = configuration.onStatement { try lend().onTrace(.profile, notify) }
      try configuration.prepareConnection?(lend())
      endLease()
      if isReader || configuration.isReadOnly { try run(pragma: "PRAGMA query_only = ON") }
    } catch var error as DatabaseError {
      if case .file(let file) = location { error.message = "\(file.path): \(error.message)" }
      throw error
    }
    if location.isFile, !isReader { readUniqueIDMark() }
    state.pointee.authorizer.restrict(toReading: isReader || configuration.isReadOnly)
    state.pointee.authorizer.protect(SchemaLock(configuration.schemaPolicy))
  }

  /// Runs the configuration's closure that sets the key of an encrypted file. It must run before
  /// any other use of the connection: without the key, the file would seem damaged.
  func unlock(_ location: DatabaseLocation) throws {
    guard case .file(let file) = location, let unlock = configuration.unlockConnection else {
      return
    }
    installAuthorizer()
    do {
      try unlock(lend())
      endLease()
    } catch var error as DatabaseError {
      error.message = "\(file.path): \(error.message)"
      throw error
    }
  }

  /// Turns on WAL mode. If another connection turns it on at the same time, tries again until that
  /// connection is done or the busy timeout is over.
  ///
  /// If two connections turn on WAL mode at once, both hold a read lock, and neither can write
  /// before the other releases its lock. SQLite then returns busy to one of them without calling
  /// the busy handler.
  private func turnOnWAL() throws {
    let allowed = state.pointee.access.longestWait(configuration.busyTimeout)
    let start = Deadline.now.nanoseconds
    while true {
      do {
        return try run(pragma: "PRAGMA journal_mode = WAL")
      } catch let error as DatabaseError
        where error.code.primary == .busy && state.pointee.access.stopReason == nil
        && Deadline.now.nanoseconds &- start < allowed
      {
        pause(nanoseconds: 1_000_000)
      }
    }
  }

  // MARK: Settings

  /// Whether foreign keys are enforced. Set it between transactions.
  ///
  /// The setter uses `sqlite3_db_config`, not a PRAGMA. A PRAGMA is a statement, which could be
  /// interrupted and would then leave the setting unchanged. The engine of a remote database
  /// receives the setting before the next statement.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
  package var enforcesForeignKeys: Bool {
    get { setting(SQLITE_DBCONFIG_ENABLE_FKEY) }
    set {
      csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, newValue ? 1 : 0)
      state.pointee.remote?.settings.enforcesForeignKeys = newValue
    }
  }

  /// Whether triggers fire. Temporary triggers always fire. Set it between transactions.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
  package var firesTriggers: Bool {
    get { setting(SQLITE_DBCONFIG_ENABLE_TRIGGER) }
    set { csqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, newValue ? 1 : 0) }
  }

  /// Whether ALTER TABLE … RENAME leaves the old name in other definitions, such as those of views.
  package var hasLegacyAlterTable: Bool {
    get { setting(SQLITE_DBCONFIG_LEGACY_ALTER_TABLE) }
    set {
      csqlite_db_config(handle, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, newValue ? 1 : 0)
      state.pointee.remote?.settings.hasLegacyAlterTable = newValue
    }
  }

  /// Whether a CREATE statement may contain strings in double quotes. SQLite's shell accepts them,
  /// so some schemas contain them.
  /// - SeeAlso: <https://www.sqlite.org/quirks.html#dblquote>
  package var takesQuotedTextInDefinitions: Bool {
    get { setting(SQLITE_DBCONFIG_DQS_DDL) }
    set { csqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, newValue ? 1 : 0) }
  }

  private func setting(_ name: Int32) -> Bool { csqlite_db_config_value(handle, name) == 1 }
}
