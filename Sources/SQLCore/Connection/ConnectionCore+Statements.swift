import CSQLite

extension ConnectionCore {
  /// Lends the statement whose key is in `state.key`. Renders and prepares it if the cache has no
  /// idle one.
  package func lendStatement(sql: () throws -> String) throws -> StatementPointer {
    guard let known = lendKnownStatement() else { return try lendNewStatement(sql: sql) }
    try checkText(of: known, sql)
    return known
  }

  /// Lends the statement whose key is in `state.key`; returns nil if the cache has no idle one.
  package func lendKnownStatement() -> StatementPointer? {
    guard state.pointee.readRecorder == nil,
      let found = state.pointee.cache.find(
        state.pointee.key.bytes, hash: state.pointee.key.hash)
    else { return nil }
    if found.pointee.isInUse {
      state.pointee.cache.countAsMiss()
      return nil
    }
    found.pointee.isInUse = true
    return found
  }

  /// Prepares and lends the statement whose key is in `state.key`. If the cached statement is in
  /// use, the new one is a duplicate that is not cached.
  package func lendNewStatement(sql: () throws -> String) throws -> StatementPointer {
    let key = state.pointee.key.bytes
    let hash = state.pointee.key.hash
    if state.pointee.readRecorder != nil || state.pointee.cache.holds(key, hash: hash) {
      return StatementPointer.make(try compileOne(try sql()))
    }
    // Rendering may run the caller's code, which may use this connection, so the key is copied
    // first.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count, alignment: 1)
    copy.copyMemory(from: key)
    do {
      let statement = StatementPointer.make(
        try compileOne(try sql()), key: UnsafeRawBufferPointer(copy), hash: hash)
      // Statements that may change tables are not cached. SQLite runs many a PRAGMA while it
      // prepares it, and again only when it prepares it again; the authorizer, too, checks a
      // reader's rights only then. A statement that changes the schema may refer to another table
      // next time, through an index of the same name.
      if statement.pointee.effects.mayChangeTables
        || !state.pointee.cache.insert(statement)
      {
        statement.pointee.key = nil
        copy.deallocate()
      }
      return statement
    } catch {
      copy.deallocate()
      throw error
    }
  }

  /// Lends the statement of a raw SQL text.
  package func lendStatement(text: String) throws -> StatementPointer {
    state.pointee.key.begin(.text)
    state.pointee.key.append(unmeasured: text)
    return try lendStatement { text }
  }

  /// Returns the key, ready for a shape to be written into it. The caller must put it back with
  /// `put(key:)`, since writing may move it in memory, before anything else uses the connection.
  package func beginShape() -> StatementKey {
    state.pointee.key.begin(.shape)
    return state.pointee.key
  }

  package func put(key: StatementKey) { state.pointee.key = key }

  /// Takes out the storage for the values of a query; `put(values:)` returns it. It is taken out
  /// because rendering may run the caller's code, which may use this connection.
  package func takeValues() -> BoundValues {
    let values = state.pointee.values
    state.pointee.values = BoundValues()
    return values
  }

  package func put(values: consuming BoundValues) {
    values.removeAll()
    state.pointee.values.deallocate()
    state.pointee.values = values
  }

  /// Lends the statement of a shape, which `write` writes into the key.
  package func lendStatement(
    shape write: (inout StatementKey) throws -> Void, sql: () throws -> String
  ) throws -> StatementPointer {
    state.pointee.key.begin(.shape)
    try write(&state.pointee.key)
    return try lendStatement(sql: sql)
  }

  /// Lends a statement by a number that stands for its shape. Prepared queries, and the statements
  /// that find or write one model, use it because each call lends them. The caller must bind every
  /// parameter.
  package func lendStatement(
    number: Int, shape write: (inout StatementKey) throws -> Void, sql: () throws -> String
  ) throws -> StatementPointer {
    if state.pointee.readRecorder == nil,
      let found = state.pointee.cache.find(number: number)
    {
      try checkText(of: found, sql)
      found.pointee.isInUse = true
      return found
    }
    let statement = try lendStatement(shape: write, sql: sql)
    state.pointee.cache.number(statement, number)
    statement.pointee.leavesValues = true
    return statement
  }

  /// Asserts, in debug builds, that a statement found in the cache has the SQL that the query
  /// renders.
  package func checkText(of found: StatementPointer, _ sql: () throws -> String) throws {
    #if DEBUG
      let rendered = try sql()
      // SQLite keeps the text up to the semicolon.
      assert(
        rendered.utf8.starts(with: (found.sql ?? "").utf8),
        "two different statements have the same shape: \(rendered)")
    #endif
  }

  /// Takes a statement back and resets it. Its values are cleared, unless it always gets new values
  /// before it runs again.
  @usableFromInline
  package func giveBack(_ statement: StatementPointer) {
    reset(statement)
    if !statement.pointee.leavesValues { sqlite3_clear_bindings(statement.handle) }
    if statement.pointee.key == nil {
      statement.destroy()
    } else {
      statement.pointee.isInUse = false
    }
  }

  /// Steps the statement; returns true if it has a row.
  @usableFromInline
  package func step(_ statement: StatementPointer) throws -> Bool {
    if !statement.pointee.isRunning { try begin(statement) }
    let code = sqlite3_step(statement.handle)
    let hasCallbackFailed = state.pointee.callbackFailure != nil
    if code == SQLITE_ROW, !hasCallbackFailed { return true }
    statement.pointee.isRunning = false
    if !statement.pointee.isReadOnly { state.pointee.writingStatement = nil }
    guard code == SQLITE_DONE, !hasCallbackFailed else {
      // SQLite keeps the message of the last call only, so it is read before anything else runs.
      let spoilsWrites = state.pointee.callbackFailure?.spoilsWrites ?? false
      var failure = failure(code, of: statement)
      sqlite3_reset(statement.handle)
      if code & 0xFF == SQLITE_CONSTRAINT { failure = locatingConstraint(of: failure, statement) }
      if spoilsWrites, !statement.pointee.isReadOnly { rollBackAfterCallbackFailure() }
      noteRollback(after: failure)
      notifyObserver(ofEndOf: statement, failed: true)
      throw failure
    }
    notifyObserver(ofEndOf: statement, failed: false)
    return false
  }

  /// Runs a statement to its end, ignoring its rows, and resets it.
  package func run(_ statement: StatementPointer) throws {
    while try step(statement) {}
    sqlite3_reset(statement.handle)
  }

  /// Runs one of the library's own statements through the cache: BEGIN, COMMIT, ROLLBACK and
  /// savepoints. A cancellation or a deadline does not prevent it from running, so that the access
  /// ends properly.
  package func run(cached text: String) throws {
    let statement = try lendStatement(text: text)
    defer { giveBack(statement) }
    start(statement)
    state.pointee.runsOwnStatement = true
    defer { state.pointee.runsOwnStatement = false }
    try run(statement)
  }

  private func begin(_ statement: StatementPointer) throws {
    try checkStopped()
    if state.pointee.hookDepth > 0 { throw Self.usedInHook }
    if state.pointee.guardsTransaction { try checkTransaction(beside: statement) }
    if !state.pointee.allowsWriting, !statement.pointee.isReadOnly {
      throw readOnly(sql: statement.sql)
    }
    start(statement)
  }

  func readOnly(sql: String?) -> DatabaseError {
    DatabaseError(
      code: .readOnly,
      message: configuration.isReadOnly
        ? "the database was opened with `Configuration.isReadOnly`"
        : "this access only reads; write in `write { }`", sql: sql)
  }

  private func start(_ statement: StatementPointer) {
    // A `PRAGMA wal_autocheckpoint` may have taken effect when SQLite recompiled a statement.
    if state.pointee.authorizer.checkpointPragma != nil { keepLogHook() }
    statement.pointee.isRunning = true
    if !statement.pointee.isReadOnly { state.pointee.writingStatement = statement.handle }
    // An interruption that was requested before the statement began does not apply to it.
    isInterruptRequested.store(false, ordering: .relaxed)
    guard let observer = state.pointee.observer else { return }
    state.pointee.lastPassedOver = nil
    observer.statementWillRun(statement, on: self)
  }

  private func notifyObserver(ofEndOf statement: StatementPointer, failed: Bool) {
    if state.pointee.watchesScans, !failed { noteScan(by: statement) }
    guard let observer = state.pointee.observer else { return }
    state.pointee.lastPassedOver = nil
    observer.statementDidRun(statement, failed: failed, on: self)
  }

  /// Ends a statement, whether or not all its rows were read.
  package func reset(_ statement: StatementPointer) {
    sqlite3_reset(statement.handle)
    if statement.pointee.isRunning {
      statement.pointee.isRunning = false
      if !statement.pointee.isReadOnly { state.pointee.writingStatement = nil }
      notifyObserver(ofEndOf: statement, failed: false)
    }
  }

  /// Marks a read statement as running. Loops that step by themselves begin with this call.
  package func beginReading(_ statement: StatementPointer) throws {
    if !statement.pointee.isRunning { try begin(statement) }
  }
}
