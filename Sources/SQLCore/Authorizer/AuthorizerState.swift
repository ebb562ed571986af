import CSQLite

/// The rules of a connection's authorizer, and its notes about the statement that is being
/// compiled.
///
/// The methods of this struct call no listeners. Of SQLite's functions, they call only those that
/// neither compile nor run a statement.
struct AuthorizerState {
  /// Whether the connection only reads. The authorizer then denies a PRAGMA that sets `query_only`.
  /// It also denies ATTACH, which would create a missing file in spite of `query_only`, and DETACH,
  /// because later reads may need the file.
  private(set) var isReader = false
  /// The part of the schema that must not change; nil if the whole schema may change.
  private var lock: SchemaLock?
  /// Whether `lock` denied an action of the statement that is being compiled.
  private(set) var wasDeniedByLock = false
  /// What the authorizer has noted about the statement that is being compiled, such as the columns
  /// that it assigns.
  private(set) var notes = StatementNotes()
  /// Whether `notes` lists the tables whose rows the statement inserts, updates or deletes. It
  /// always lists the tables that the statement creates, alters or drops.
  private(set) var notesWrittenTables = false
  /// Whether SQLite is declaring a virtual table. SQLite does this when a connection first uses the
  /// table.
  ///
  /// For the declaration, SQLite compiles an UPDATE of its schema table, but never runs the UPDATE.
  /// It calls the authorizer for each of the five columns that the UPDATE sets, and then for the
  /// rowid in the WHERE clause.
  private var isDeclaringTable = false
  /// The recorder of the columns that statements read and the functions that they call. Nil if
  /// nothing is being recorded.
  private var recorder: ReadRecorder?

  // MARK: Rules

  /// Sets whether the connection only reads. Returns the earlier setting.
  @discardableResult
  mutating func restrict(toReading isReader: Bool) -> Bool {
    defer { self.isReader = isReader }
    return self.isReader
  }

  mutating func protect(_ lock: SchemaLock?) {
    self.lock = lock
  }

  // MARK: Notes

  /// Empties `notes` before a statement is compiled. Returns the earlier notes, which the caller
  /// passes to `endNotes(restoring:)` afterwards.
  ///
  /// The earlier notes may be left over from a statement that SQLite recompiled after a schema
  /// change. They may also belong to an outer compilation: a virtual table may run its own
  /// statements while a statement that uses it is compiled.
  mutating func beginNotes() -> StatementNotes {
    let outer = notes
    notes = StatementNotes(assignments: [])
    wasDeniedByLock = false
    isDeclaringTable = false
    return outer
  }

  mutating func endNotes(restoring outer: StatementNotes) {
    notes = outer
  }

  /// Empties the list of tables in `notes`. Call it only while no statement runs.
  mutating func forgetTables() {
    notes.removeTables()
  }

  /// Sets `notesWrittenTables`. Returns the earlier setting.
  @discardableResult
  mutating func noteWrittenTables(_ isWanted: Bool) -> Bool {
    defer { notesWrittenTables = isWanted }
    return notesWrittenTables
  }

  // MARK: Reads

  /// Whether the columns that statements read are being recorded.
  var isRecording: Bool { recorder != nil }

  /// Sets the recorder of the columns that statements read. Returns the earlier recorder.
  @discardableResult
  mutating func record(into recorder: ReadRecorder?) -> ReadRecorder? {
    defer { self.recorder = recorder }
    return self.recorder
  }

  // MARK: Deciding

  /// Notes one action of the statement that is being compiled, such as reading a column. Returns
  /// true if `isReader` or `lock` forbids the action.
  mutating func denies(
    _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?, inTrigger: Bool, on handle: OpaquePointer
  ) -> Bool {
    switch action {
    case SQLITE_READ:
      if isOwnRead(of: first) { recorder?.addColumn(database, first, second) }
    case SQLITE_FUNCTION:
      recorder?.addFunction(second)
    case SQLITE_ATTACH, SQLITE_DETACH:
      notes.effects.insert(.changesConnection)
      if isReader { return true }
      if lock == .everything { return deniesUnlessVacuuming(on: handle) }
    case SQLITE_PRAGMA:
      notes.effects.insert(.changesConnection)
      if isReader, let first, second != nil, first.isSame(as: "query_only") {
        return true
      }
      // Without a value, the pragma only reads the setting. With a value, it may write the file.
      if second == nil, first?.isSame(as: "journal_mode") == true {
        notes.effects.insert(.asksSetting)
      }
    case SQLITE_CREATE_INDEX...SQLITE_CREATE_VIEW, SQLITE_DROP_INDEX...SQLITE_DROP_VIEW,
      SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      notes.effects.insert(.changesSchema)
      // For an index or a trigger, SQLite passes its name first and the name of the table second.
      let ofTable: Set = [
        SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_VIEW,
        SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_VTABLE, SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE,
        SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW, SQLITE_DROP_VTABLE,
      ]
      notes.add(.schema, database, table: ofTable.contains(action) ? first : second)
      return isLocked(against: action, first, second, on: handle)
    case SQLITE_ALTER_TABLE:
      notes.effects.insert(.changesSchema)
      // SQLite passes the name of the database first here.
      notes.add(.schema, first, table: second)
      return isLocked(against: action, first, second, on: handle)
    case SQLITE_UPDATE where Self.isSchemaTable(first):
      isDeclaringTable = true
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      if action == SQLITE_UPDATE, !inTrigger { notes.addAssignment(database, first, second) }
      if inTrigger { notes.writesInTrigger = true }
      if notesWrittenTables { notes.add(.rows, database, table: first) }
    case SQLITE_TRANSACTION:
      notes.effects.insert(.controlsTransaction)
    default:
      break
    }
    return false
  }

  /// Called when SQLite reports that a column is read. Returns true if the statement itself reads
  /// the column, and false if the read is part of SQLite's declaration of a virtual table.
  private mutating func isOwnRead(of table: UnsafePointer<CChar>?) -> Bool {
    guard isDeclaringTable else { return true }
    isDeclaringTable = false
    return !Self.isSchemaTable(table)
  }

  private static func isSchemaTable(_ table: UnsafePointer<CChar>?) -> Bool {
    guard let table else { return false }
    return table.isSame(as: "sqlite_master") || table.isSame(as: "sqlite_temp_master")
  }

  /// Returns whether `lock` forbids an action of the statement that is being compiled.
  private mutating func isLocked(
    against action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
    on handle: OpaquePointer
  ) -> Bool {
    guard let lock else { return false }
    return lock.denies(
      action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
      && deniesUnlessVacuuming(on: handle)
  }

  /// Returns true and notes the denial, unless VACUUM is running. VACUUM attaches a file and
  /// creates tables in that file, but does not change the schema of the database.
  private mutating func deniesUnlessVacuuming(on handle: OpaquePointer) -> Bool {
    var statement = sqlite3_next_stmt(handle, nil)
    while let running = statement {
      if sqlite3_stmt_busy(running) != 0, let sql = sqlite3_sql(running),
        SQLTokens(String(cString: sql)).tokens.first(where: { !$0.isSign(";") })?.isWord("vacuum")
          == true
      {
        return false
      }
      statement = sqlite3_next_stmt(handle, running)
    }
    wasDeniedByLock = true
    return true
  }
}

extension ConnectionCore {
  /// Installs the authorizer. If it is installed again, all prepared statements expire, and SQLite
  /// compiles each statement again before its next run. A new pre-update hook needs this
  /// recompilation.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/set_authorizer.html>
  package func installAuthorizer() {
    // `deinit` frees the state only after it has closed the handle.
    sqlite3_set_authorizer(handle, authorize, UnsafeMutableRawPointer(state))
  }
}

/// Called by SQLite for each action of the statement that is being compiled. Notes the action and
/// applies the library's own rules. If the rules allow the action, asks the listeners.
private func authorize(
  context: UnsafeMutableRawPointer?, action: Int32,
  first: UnsafePointer<CChar>?, second: UnsafePointer<CChar>?,
  database: UnsafePointer<CChar>?, trigger: UnsafePointer<CChar>?
) -> Int32 {
  guard let state = context?.assumingMemoryBound(to: ConnectionState.self) else {
    return SQLITE_OK
  }
  if action == SQLITE_PRAGMA, first?.isSame(as: "wal_autocheckpoint") == true {
    state.pointee.wal.didCompile(CheckpointPragma(argument: second))
  }
  // VACUUM also attaches a file, and may change the rowids of tables without an integer key. So
  // each ATTACH counts as an unknown change for the caches.
  if action == SQLITE_ATTACH { state.pointee.cacheFeed.noteUnknown() }
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
