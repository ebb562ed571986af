import CSQLite

extension ConnectionCore {
  /// Lends the statement whose key stands in `state.key`; renders and prepares it where the cache
  /// has none.
  package func lendStatement(sql: () throws -> String) throws -> StatementPointer {
    guard let known = lendKnownStatement() else { return try lendNewStatement(sql: sql) }
    try checkText(of: known, sql)
    return known
  }

  /// Lends the statement whose key stands in `state.key`; nil where the cache has none that is idle.
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

  /// Prepares and lends the statement whose key stands in `state.key`: of one that is in use, its
  /// twin, for the occasion.
  package func lendNewStatement(sql: () throws -> String) throws -> StatementPointer {
    let key = state.pointee.key.bytes
    let hash = state.pointee.key.hash
    if state.pointee.readRecorder != nil || state.pointee.cache.holds(key, hash: hash) {
      return StatementPointer.make(try compileOne(try sql()))
    }
    // Rendering may run the user's code, which may use this connection: the key is copied first.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count, alignment: 1)
    copy.copyMemory(from: key)
    do {
      let statement = StatementPointer.make(
        try compileOne(try sql()), key: UnsafeRawBufferPointer(copy), hash: hash)
      // SQLite runs many a PRAGMA while it is prepared, and again only when it is prepared again;
      // and what a reader may not do is asked only then. What changes the schema may meet another
      // table the next time: an index of the same name.
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

  /// Lends the statement of a raw text.
  package func lendStatement(text: String) throws -> StatementPointer {
    state.pointee.key.begin(.text)
    state.pointee.key.append(unmeasured: text)
    return try lendStatement { text }
  }

  /// The key, to write a shape into: it is put back, at whatever address it lies by then, before
  /// anything else uses the connection.
  package func beginShape() -> StatementKey {
    state.pointee.key.begin(.shape)
    return state.pointee.key
  }

  package func put(key: StatementKey) { state.pointee.key = key }

  /// Room for the values of a query. It is taken out and put back: rendering may run the user's code,
  /// which may use this connection.
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

  /// Lends a statement by a shape that `write` puts into the key.
  package func lendStatement(
    shape write: (inout StatementKey) throws -> Void, sql: () throws -> String
  ) throws -> StatementPointer {
    state.pointee.key.begin(.shape)
    try write(&state.pointee.key)
    return try lendStatement(sql: sql)
  }

  /// Lends a statement by a number that stands for the shape: those that find and write one model,
  /// and prepared queries, are lent for each call. Whoever lends it binds every parameter.
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

  /// That a statement found is the one meant, in debug builds.
  package func checkText(of found: StatementPointer, _ sql: () throws -> String) throws {
    #if DEBUG
      let rendered = try sql()
      // SQLite keeps the text up to the semicolon.
      assert(
        rendered.utf8.starts(with: (found.sql ?? "").utf8),
        "a shape stands for two statements: \(rendered)")
    #endif
  }

  /// Takes a statement back: ended, its values gone, or left until the next ones where nothing reads
  /// them before.
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

  /// Takes one step; true where the statement stands at a row.
  @usableFromInline
  package func step(_ statement: StatementPointer) throws -> Bool {
    if !statement.pointee.isRunning { try begin(statement) }
    let code = sqlite3_step(statement.handle)
    let hasCallbackFailed = state.pointee.callbackFailure != nil
    if code == SQLITE_ROW, !hasCallbackFailed { return true }
    statement.pointee.isRunning = false
    if !statement.pointee.isReadOnly { state.pointee.writingStatement = nil }
    guard code == SQLITE_DONE, !hasCallbackFailed else {
      // The error's words are those of the last call: they are read before anything else runs.
      let spoilsWrites = state.pointee.callbackFailure?.spoilsWrites ?? false
      var failure = failure(code, of: statement)
      sqlite3_reset(statement.handle)
      if code & 0xFF == SQLITE_CONSTRAINT { failure = locatingConstraint(of: failure, statement) }
      if spoilsWrites, !statement.pointee.isReadOnly { rollBackAfterCallbackFailure() }
      noteRollback(after: failure)
      tellObserver(ofEndOf: statement, failed: true)
      throw failure
    }
    tellObserver(ofEndOf: statement, failed: false)
    return false
  }

  /// Runs a statement to its end, its rows unread, and makes it ready to run again.
  package func run(_ statement: StatementPointer) throws {
    while try step(statement) {}
    sqlite3_reset(statement.handle)
  }

  /// Runs a statement of our own through the cache: BEGIN, COMMIT, ROLLBACK, savepoints. They run
  /// whatever was said of the access, so that it ends as it should.
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
    // SQLite may have compiled a statement anew while it ran.
    if state.pointee.authorizer.checkpointPragma != nil { keepLogHook() }
    statement.pointee.isRunning = true
    if !statement.pointee.isReadOnly { state.pointee.writingStatement = statement.handle }
    // What was said before it began is not meant for it.
    isInterruptRequested.store(false, ordering: .relaxed)
    guard let observer = state.pointee.observer else { return }
    state.pointee.lastPassedOver = nil
    observer.statementWillRun(statement, on: self)
  }

  private func tellObserver(ofEndOf statement: StatementPointer, failed: Bool) {
    if state.pointee.watchesScans, !failed { noteScan(by: statement) }
    guard let observer = state.pointee.observer else { return }
    state.pointee.lastPassedOver = nil
    observer.statementDidRun(statement, failed: failed, on: self)
  }

  /// Ends a statement where it stands.
  package func reset(_ statement: StatementPointer) {
    sqlite3_reset(statement.handle)
    if statement.pointee.isRunning {
      statement.pointee.isRunning = false
      if !statement.pointee.isReadOnly { state.pointee.writingStatement = nil }
      tellObserver(ofEndOf: statement, failed: false)
    }
  }

  /// Marks a read statement as running: the loops that step by themselves begin so.
  package func beginReading(_ statement: StatementPointer) throws {
    if !statement.pointee.isRunning { try begin(statement) }
  }
}
