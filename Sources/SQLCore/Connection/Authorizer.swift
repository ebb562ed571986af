import CSQLite

/// What the authorizer of a connection denies.
struct AuthorizerRules {
  /// A reader neither lifts `query_only` nor attaches a file, which `query_only` would create, nor
  /// detaches one that later reads want.
  var isReader = false
  /// What of the schema may not be changed.
  var lock: SchemaLock?
  /// Whether the lock denied the statement that is being prepared.
  var wasDeniedByLock = false
  /// What `PRAGMA wal_autocheckpoint` did when it was compiled, until that is seen to.
  var checkpointPragma: CheckpointPragma?
  /// What the statement that is being prepared does, besides reading and writing rows.
  var effects: StatementEffects = []
  /// The tables on which it does more than read.
  var tableEffects: [TableEffect] = []
  /// The columns to which it gives values in an UPDATE of its own, or in that of an upsert; nil
  /// where SQLite compiles a statement anew, which assigns what it did.
  var assignments: [ColumnDependency]?
  /// Whether the tables are noted whose rows it writes; those that it creates, alters or drops are
  /// noted always.
  var notesWrittenTables = false
  /// Whether SQLite is declaring a virtual table, which happens when a connection first uses one.
  ///
  /// SQLite compiles an UPDATE of its schema table for that, which the authorizer is asked about
  /// and which never runs: five columns, then the rowid in its WHERE clause.
  var isDeclaringTable = false

  /// Whether a statement reads this column itself, and not the declaration of a virtual table.
  fileprivate mutating func isOwnRead(of table: UnsafePointer<CChar>?) -> Bool {
    guard isDeclaringTable else { return true }
    isDeclaringTable = false
    return !Self.isSchemaTable(table)
  }

  fileprivate static func isSchemaTable(_ table: UnsafePointer<CChar>?) -> Bool {
    guard let table else { return false }
    return sqlite3_stricmp(table, "sqlite_master") == 0
      || sqlite3_stricmp(table, "sqlite_temp_master") == 0
  }
}

/// What a statement does to a table, its rows or its schema, as the authorizer tells it.
package struct TableEffect: Hashable, Sendable {
  package enum Kind: Sendable {
    /// The table, or an index or trigger of it, is created, altered or dropped.
    case schema
    /// Rows of it are inserted, updated or deleted, by the statement or by what it sets off.
    case rows
  }

  package let kind: Kind
  package let database: String
  package let table: String
}

/// What a statement reads and calls, collected while it is prepared.
final class ReadRecorder {
  var columns: Set<ColumnDependency> = []
  /// Folded.
  var functions: Set<String> = []
}

/// A column that a statement reads or assigns; or a whole table that it reads.
package struct ColumnDependency: Hashable, Sendable {
  package var database: String
  package var table: String
  /// Empty where the statement reads no column in particular, as `count(*)` does.
  package var column: String
}

extension ConnectionCore {
  /// Sets the authorizer. Setting it again expires every prepared statement: each is compiled anew
  /// before it runs next, which is wanted when a pre-update hook comes.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/set_authorizer.html>
  package func installAuthorizer() {
    // The state outlives the handle's use: `deinit` frees it after closing.
    sqlite3_set_authorizer(handle, authorize, UnsafeMutableRawPointer(state))
  }

  /// Whether statements say which tables they write. Those that are cached did not: they go.
  package var notesWrittenTables: Bool {
    get { state.pointee.authorizer.notesWrittenTables }
    set {
      guard newValue != state.pointee.authorizer.notesWrittenTables else { return }
      state.pointee.authorizer.notesWrittenTables = newValue
      state.pointee.cache.removeAll()
    }
  }

  /// Adds to what a statement is known to write what was noted since `forgetNotedTables()`, where
  /// SQLite compiled it anew meanwhile: a trigger may have come that writes other tables.
  package func noteTablesAnew(of statement: StatementPointer) {
    let version = sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    guard version != statement.pointee.tableEffectsVersion else { return }
    statement.pointee.tableEffectsVersion = version
    for effect in state.pointee.authorizer.tableEffects
    where !statement.pointee.tableEffects.contains(effect) {
      statement.pointee.tableEffects.append(effect)
    }
  }

  /// No statement runs: what was noted before is no running statement's.
  package func forgetNotedTables() {
    state.pointee.authorizer.tableEffects = []
  }

  /// Runs a closure and tells what its statements read. Each is compiled for the occasion: the
  /// authorizer is asked of nothing that is cached.
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
      sqlite3_stricmp(first, "query_only") == 0
    {
      return SQLITE_DENY
    }
    // Asked without a value it changes nothing; with one it may write the file.
    if second == nil, sqlite3_stricmp(first, "journal_mode") == 0 {
      state.pointee.authorizer.effects.insert(.asksSetting)
    }
    if sqlite3_stricmp(first, "wal_autocheckpoint") == 0 {
      state.pointee.authorizer.checkpointPragma = CheckpointPragma(argument: second)
    }
  case SQLITE_CREATE_INDEX...SQLITE_CREATE_VIEW, SQLITE_DROP_INDEX...SQLITE_DROP_VIEW,
    SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
    state.pointee.authorizer.effects.insert(.changesSchema)
    // An index or a trigger comes first, and its table second.
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
    // The database comes first here.
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

/// The strictest answer of those who listen.
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
