import CSQLite

extension ConnectionCore {
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
      statement.finalize()
      remaining = rest
    }
    return (recorder.columns, recorder.functions)
  }
}
