import CSQLite

extension ConnectionCore {
  /// Installs the authorizer. Installing it again expires every prepared statement: each is
  /// recompiled before it next runs, which a new pre-update hook requires.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/set_authorizer.html>
  package func installAuthorizer() {
    // `deinit` frees the state only after it has closed the handle.
    sqlite3_set_authorizer(handle, authorize, UnsafeMutableRawPointer(state))
  }

  /// Whether statements record which tables they write. Changing it empties the statement cache,
  /// since cached statements were prepared with the other setting.
  package var notesWrittenTables: Bool {
    get { state.pointee.authorizer.notesWrittenTables }
    set {
      guard newValue != state.pointee.authorizer.notesWrittenTables else { return }
      state.pointee.authorizer.noteWrittenTables(newValue)
      for evicted in state.pointee.statements.removeAll() { evicted.destroy() }
    }
  }

  /// Updates the tables that a statement writes, if SQLite has recompiled it since
  /// `forgetNotedTables()`: a new trigger may write to other tables.
  package func noteTablesAgain(of statement: StatementPointer) {
    let version = sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    guard version != statement.pointee.tableEffectsVersion else { return }
    statement.pointee.tableEffectsVersion = version
    for effect in state.pointee.authorizer.notes.tableEffects
    where !statement.pointee.tableEffects.contains(effect) {
      statement.pointee.tableEffects.append(effect)
    }
  }

  /// Clears the tables noted so far. Call it only while no statement runs.
  package func forgetNotedTables() {
    state.pointee.authorizer.forgetTables()
  }

  /// Runs a closure and returns its result with the columns that its statements read. The
  /// statements are compiled without the cache, because SQLite calls the authorizer only while it
  /// compiles.
  package func recordingReads<Result>(
    _ body: () throws -> Result
  ) throws -> (Result, Set<ColumnDependency>) {
    let recorder = ReadRecorder()
    state.pointee.authorizer.record(into: recorder)
    defer { state.pointee.authorizer.record(into: nil) }
    return (try body(), recorder.columns)
  }

  /// Prepares a statement without the cache and returns the columns that it reads.
  package func dependencies(of sql: String) throws -> Set<ColumnDependency> {
    try reads(of: sql).columns
  }

  /// Prepares a statement without the cache and returns the columns that it reads, and the folded
  /// names of the functions that it calls.
  package func reads(
    of sql: String
  ) throws -> (columns: Set<ColumnDependency>, functions: Set<String>) {
    let recorder = ReadRecorder()
    state.pointee.authorizer.record(into: recorder)
    defer { state.pointee.authorizer.record(into: nil) }
    var remaining = Substring(sql)
    while let (statement, rest) = try compile(remaining) {
      sqlite3_finalize(statement.handle)
      remaining = rest
    }
    return (recorder.columns, recorder.functions)
  }
}

private func authorize(
  context: UnsafeMutableRawPointer?, action: Int32,
  first: UnsafePointer<CChar>?, second: UnsafePointer<CChar>?,
  database: UnsafePointer<CChar>?, trigger: UnsafePointer<CChar>?
) -> Int32 {
  guard let state = context?.assumingMemoryBound(to: ConnectionState.self) else {
    return SQLITE_OK
  }
  if action == SQLITE_PRAGMA, first?.isSame(as: "wal_autocheckpoint") == true {
    state.pointee.log.didCompile(CheckpointPragma(argument: second))
  }
  let isDenied = state.pointee.authorizer.denies(
    action, first, second, database, inTrigger: trigger != nil, on: state.pointee.handle)
  guard !isDenied else { return SQLITE_DENY }
  guard !state.pointee.hooks.listeners.authorizer.isEmpty else { return SQLITE_OK }
  return askListeners(
    state,
    AuthorizerAction(
      code: action, first: first, second: second, database: database, trigger: trigger))
}

/// Returns the strictest decision of the listeners.
private func askListeners(
  _ state: UnsafeMutablePointer<ConnectionState>, _ action: AuthorizerAction
) -> Int32 {
  let answer = state.callingOut { listeners in
    Result {
      var answer = SQLITE_OK
      try listeners.authorizer.forEachBody { body in
        switch try body(action) {
        case .allow: break
        case .ignore: answer = answer == SQLITE_OK ? SQLITE_IGNORE : answer
        case .deny: answer = SQLITE_DENY
        }
      }
      return answer
    }
  }
  switch answer {
  case .success(let code): return code
  case .failure(let error):
    state.pointee.hooks.note(error, code: SQLITE_AUTH)
    return SQLITE_DENY
  }
}
