import CSQLite

/// The rules of a connection's authorizer, and its notes on the statement that is being prepared.
struct AuthorizerRules {
  /// Whether the connection only reads. A reader must not lift `query_only`, must not attach a
  /// file, which ATTACH would create in spite of `query_only`, and must not detach one that later
  /// reads need.
  var isReader = false
  /// The part of the schema that must not change; nil if all of it may.
  var lock: SchemaLock?
  /// Whether the lock denied the statement that is being prepared.
  var wasDeniedByLock = false
  /// The effect of a `PRAGMA wal_autocheckpoint` that was just compiled, until `keepLogHook()`
  /// handles it.
  var checkpointPragma: CheckpointPragma?
  /// The effects of the statement that is being prepared, other than reading and writing rows.
  var effects: StatementEffects = []
  /// The tables that the statement changes: their schema or their rows.
  var tableEffects: [TableEffect] = []
  /// The columns that the statement assigns in an UPDATE, its own or that of an upsert. Nil while
  /// SQLite recompiles a statement, which assigns the same columns as before.
  var assignments: [ColumnDependency]?
  /// Whether `tableEffects` includes the tables whose rows the statement writes. Tables that it
  /// creates, alters or drops are always included.
  var notesWrittenTables = false
  /// Whether SQLite is declaring a virtual table, which happens when a connection first uses one.
  ///
  /// To declare it, SQLite compiles an UPDATE of its schema table that never runs. The authorizer
  /// is called for each of its five columns, and then for the rowid in its WHERE clause.
  var isDeclaringTable = false

  /// Returns whether the statement itself reads this column, rather than the declaration of a
  /// virtual table.
  fileprivate mutating func isOwnRead(of table: UnsafePointer<CChar>?) -> Bool {
    guard isDeclaringTable else { return true }
    isDeclaringTable = false
    return !Self.isSchemaTable(table)
  }

  fileprivate static func isSchemaTable(_ table: UnsafePointer<CChar>?) -> Bool {
    guard let table else { return false }
    return table.isSame(as: "sqlite_master") || table.isSame(as: "sqlite_temp_master")
  }
}

/// A table whose schema or rows a statement changes, as the authorizer reports it.
package struct TableEffect: Hashable, Sendable {
  package enum Kind: Sendable {
    /// The statement creates, alters or drops the table, or an index or trigger of the table.
    case schema
    /// The statement, or a trigger or foreign-key action that it causes, inserts, updates or
    /// deletes rows of the table.
    case rows
  }

  package let kind: Kind
  package let database: String
  package let table: String
}

/// The columns that statements read and the functions that they call, collected while they are
/// prepared.
final class ReadRecorder {
  var columns: Set<ColumnDependency> = []
  /// The names of the functions, folded to lower case.
  var functions: Set<String> = []
}

/// A column that a statement reads or assigns, or a whole table that it reads.
package struct ColumnDependency: Hashable, Sendable {
  package var database: String
  package var table: String
  /// The name of the column; empty if the statement reads the table but no particular column, as
  /// `count(*)` does.
  package var column: String
}

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
      state.pointee.authorizer.notesWrittenTables = newValue
      state.pointee.cache.removeAll()
    }
  }

  /// Updates the tables that a statement writes, if SQLite has recompiled it since
  /// `forgetNotedTables()`: a new trigger may write to other tables.
  package func noteTablesAgain(of statement: StatementPointer) {
    let version = sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    guard version != statement.pointee.tableEffectsVersion else { return }
    statement.pointee.tableEffectsVersion = version
    for effect in state.pointee.authorizer.tableEffects
    where !statement.pointee.tableEffects.contains(effect) {
      statement.pointee.tableEffects.append(effect)
    }
  }

  /// Clears the tables noted so far. Call it only while no statement runs.
  package func forgetNotedTables() {
    state.pointee.authorizer.tableEffects = []
  }

  /// Runs a closure and returns its result with the columns that its statements read. The
  /// statements are compiled without the cache, because SQLite calls the authorizer only while it
  /// compiles.
  package func recordingReads<Result>(
    _ body: () throws -> Result
  ) throws -> (Result, Set<ColumnDependency>) {
    let recorder = ReadRecorder()
    state.pointee.readRecorder = recorder
    defer { state.pointee.readRecorder = nil }
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
    state.pointee.readRecorder = recorder
    defer { state.pointee.readRecorder = nil }
    var remaining = Substring(sql)
    while let (statement, rest) = try compile(remaining) {
      sqlite3_finalize(statement.handle)
      remaining = rest
    }
    return (recorder.columns, recorder.functions)
  }
}

extension AuthorizerRules {
  fileprivate mutating func note(
    _ kind: TableEffect.Kind, _ database: UnsafePointer<CChar>?, table: UnsafePointer<CChar>?
  ) {
    guard let table else { return }
    let effect = TableEffect(
      kind: kind, database: database.map { String(cString: $0) } ?? "main",
      table: String(cString: table))
    if !tableEffects.contains(effect) { tableEffects.append(effect) }
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
  switch action {
  case SQLITE_READ:
    if state.pointee.authorizer.isOwnRead(of: first), let recorder = state.pointee.readRecorder {
      recorder.columns.insert(
        ColumnDependency(
          database: database.map { String(cString: $0) } ?? "main",
          table: first.map { String(cString: $0) } ?? "",
          column: second.map { String(cString: $0) } ?? ""))
    }
  case SQLITE_FUNCTION:
    if let recorder = state.pointee.readRecorder, let second {
      recorder.functions.insert(String(cString: second).lowercasedASCII)
    }
  case SQLITE_ATTACH, SQLITE_DETACH:
    state.pointee.authorizer.effects.insert(.changesConnection)
    if state.pointee.authorizer.isReader { return SQLITE_DENY }
    if state.pointee.authorizer.lock == .everything, state.deniesUnlessVacuuming() {
      return SQLITE_DENY
    }
  case SQLITE_PRAGMA:
    state.pointee.authorizer.effects.insert(.changesConnection)
    if state.pointee.authorizer.isReader, let first, second != nil,
      first.isSame(as: "query_only")
    {
      return SQLITE_DENY
    }
    // Without a value the pragma only queries; with a value it may write the file.
    if second == nil, first?.isSame(as: "journal_mode") == true {
      state.pointee.authorizer.effects.insert(.asksSetting)
    }
    if first?.isSame(as: "wal_autocheckpoint") == true {
      state.pointee.authorizer.checkpointPragma = CheckpointPragma(argument: second)
    }
  case SQLITE_CREATE_INDEX...SQLITE_CREATE_VIEW, SQLITE_DROP_INDEX...SQLITE_DROP_VIEW,
    SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
    state.pointee.authorizer.effects.insert(.changesSchema)
    // For indexes and triggers SQLite passes their own name first, and the table's second.
    let ofTable: Set = [
      SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_VIEW, SQLITE_CREATE_TEMP_VIEW,
      SQLITE_CREATE_VTABLE, SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VIEW,
      SQLITE_DROP_TEMP_VIEW, SQLITE_DROP_VTABLE,
    ]
    state.pointee.authorizer.note(
      .schema, database, table: ofTable.contains(action) ? first : second)
    if state.isLocked(against: action, first, second) { return SQLITE_DENY }
  case SQLITE_ALTER_TABLE:
    state.pointee.authorizer.effects.insert(.changesSchema)
    // SQLite passes the name of the database first here.
    state.pointee.authorizer.note(.schema, first, table: second)
    if state.isLocked(against: action, first, second) { return SQLITE_DENY }
  case SQLITE_UPDATE where AuthorizerRules.isSchemaTable(first):
    state.pointee.authorizer.isDeclaringTable = true
  case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
    if action == SQLITE_UPDATE, trigger == nil, let first, let second {
      state.pointee.authorizer.assignments?.append(
        ColumnDependency(
          database: database.map { String(cString: $0) } ?? "main", table: String(cString: first),
          column: String(cString: second)))
    }
    if state.pointee.authorizer.notesWrittenTables {
      state.pointee.authorizer.note(.rows, database, table: first)
    }
  case SQLITE_TRANSACTION:
    state.pointee.authorizer.effects.insert(.controlsTransaction)
  default:
    break
  }
  guard !state.pointee.listeners.authorizer.isEmpty else { return SQLITE_OK }
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
    if state.pointee.callbackFailure == nil {
      state.pointee.callbackFailure = NotedFailure(error, code: SQLITE_AUTH)
    }
    return SQLITE_DENY
  }
}
