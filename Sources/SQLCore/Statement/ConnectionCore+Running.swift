import CSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ConnectionCore {
  /// Takes a step of the statement. Returns true if the statement is now at a row, and false if it
  /// has ended.
  @usableFromInline
  package func step(_ statement: StatementPointer) throws -> Bool {
    if !statement.pointee.isRunning { try begin(statement) }
    let code = sqlite3_step(statement.handle)
    let hasCallbackFailed = state.pointee.hooks.failure != nil
    if code == SQLITE_ROW, !hasCallbackFailed { return true }
    statement.pointee.isRunning = false
    if !statement.pointee.isReadOnly { state.pointee.observation.didWrite() }
    guard code == SQLITE_DONE, !hasCallbackFailed else {
      // SQLite keeps only the message of the last call, so the message is read before anything else
      // runs.
      let spoilsWrites = state.pointee.hooks.spoilsWrites
      var failure = failure(code, of: statement)
      sqlite3_reset(statement.handle)
      statement.pointee.isReset = true
      if code & 0xFF == SQLITE_CONSTRAINT || state.pointee.remote != nil {
        failure = locatingConstraint(of: failure, statement)
      }
      // If a collation or a tokenizer has failed, an index may be out of order, so the transaction
      // is rolled back.
      if spoilsWrites, !statement.pointee.isReadOnly, isInTransaction {
        try? run(cached: "ROLLBACK")
      }
      state.pointee.remote?.followTransaction(after: failure)
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
    statement.pointee.isReset = true
  }

  /// Runs one of the library's own statements through the cache, such as BEGIN, COMMIT, ROLLBACK
  /// and savepoints. These statements run even after a cancellation or a deadline, because the
  /// access must end properly.
  package func run(cached text: String) throws {
    let statement = try lendStatement(text: text)
    defer { giveBack(statement) }
    state.pointee.transaction.willRunOwnStatement()
    defer { state.pointee.transaction.didRunOwnStatement() }
    try start(statement)
    try run(statement)
  }

  /// Runs one of the library's own statements, such as a PRAGMA, without the statement cache. The
  /// cache is only used if the database is remote.
  package func run(pragma text: String) throws {
    guard state.pointee.remote == nil else { return try run(cached: text) }
    try runHere(text)
  }

  /// Runs one of the library's own statements on the local SQLite handle, even if the database is
  /// remote.
  package func runHere(_ text: String) throws {
    let code = sqlite3_exec(handle, text, nil, nil, nil)
    guard code == SQLITE_OK else { throw failure(code, sql: text) }
  }

  /// Runs one of the library's own statements without the cache, and returns the integer in its
  /// first column.
  func integer(pragma text: String) throws -> Int {
    let compiled = try compileOne(text)
    defer { compiled.finalize() }
    let statement = compiled.handle
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw failure(code, sql: text) }
    return Int(sqlite3_column_int64(statement, 0))
  }

  /// Runs a statement with one parameter without the cache, and returns the integer in its first
  /// column; nil for NULL.
  package func integer(_ sql: String, binding value: Int64) throws -> Int64? {
    let compiled = try compileOne(sql)
    defer { compiled.finalize() }
    let statement = compiled.handle
    try check(sqlite3_bind_int64(statement, 1, value), sql: sql)
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else { throw failure(code, sql: sql) }
    return sqlite3_column_type(statement, 0) == SQLITE_NULL
      ? nil : sqlite3_column_int64(statement, 0)
  }

  private func begin(_ statement: StatementPointer) throws {
    try checkStopped()
    if state.pointee.hooks.isInCallback { throw DatabaseError.usedInHook }
    if state.pointee.transaction.guardsClosure,
      !isTransactionWhole || !statement.pointee.effects.isEmpty
    {
      try checkTransaction(beside: statement)
    }
    if !allowsWriting, !statement.pointee.isReadOnly {
      throw readOnly(sql: statement.sql)
    }
    try start(statement)
  }

  /// Throws if the connection may not write now. Call this before a write that is not made by a
  /// statement, such as a write to a `Blob`.
  func checkWriting() throws {
    try checkStopped()
    if state.pointee.hooks.isInCallback { throw DatabaseError.usedInHook }
    guard allowsWriting else { throw readOnly(sql: nil) }
  }

  func readOnly(sql: String?) -> DatabaseError {
    DatabaseError(
      code: .readOnly,
      message: configuration.isReadOnly
        ? "the database was opened with `Configuration.isReadOnly`"
        : "this access only reads; write in `write { }`", sql: sql)
  }

  @inline(__always)
  func start(_ statement: StatementPointer) throws {
    if state.pointee.remote != nil { try runBeforeCopy(statement) }
    // A `PRAGMA wal_autocheckpoint` may have replaced the library's WAL hook when SQLite recompiled
    // the PRAGMA.
    if state.pointee.wal.hasPragma { keepWALHook() }
    statement.pointee.isRunning = true
    statement.pointee.isReset = false
    if !statement.pointee.isReadOnly {
      state.pointee.observation.willWrite(statement.handle)
      if statement.pointee.effects.mayChangeTables {
        state.pointee.cacheFeed.noteUnknown()
        state.pointee.strictTables = [:]
      }
    }
    // An interruption that was requested earlier does not apply to this statement.
    isInterruptRequested.store(false, ordering: .relaxed)
    if let observer = state.pointee.observation.observerOfStatement() {
      observer.pointee.statementWillRun(statement, on: self)
    }
  }

  private func notifyObserver(ofEndOf statement: StatementPointer, failed: Bool) {
    if state.pointee.watchesScans, !failed { noteScan(by: statement) }
    if let observer = state.pointee.observation.observerOfStatement() {
      observer.pointee.statementDidRun(statement, failed: failed, on: self)
    }
  }

  /// Ends a statement, whether or not all its rows were read.
  package func reset(_ statement: StatementPointer) {
    // A statement that wrote a model is already reset, because `run(_:)` resets it.
    if !statement.pointee.isReset {
      sqlite3_reset(statement.handle)
      statement.pointee.isReset = true
    }
    if statement.pointee.isRunning {
      statement.pointee.isRunning = false
      if !statement.pointee.isReadOnly { state.pointee.observation.didWrite() }
      notifyObserver(ofEndOf: statement, failed: false)
    }
  }

  // MARK: Binding

  /// Binds an integer to the parameter at `index`, counted from 1.
  package func bind(
    _ integer: Int64, to statement: StatementPointer, at index: Int32
  ) throws {
    noteBound(integer)
    try check(sqlite3_bind_int64(statement.handle, index, integer), sql: statement.sql)
  }

  /// Binds a value to the parameter at `index`, counted from 1. Text and bytes are copied.
  package func bind(_ value: DatabaseValue, to statement: StatementPointer, at index: Int32) throws
  {
    let handle = statement.handle
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(handle, index)
    case .integer(let integer):
      noteBound(integer)
      code = sqlite3_bind_int64(handle, index, integer)
    case .real(let real):
      // SQLite would store NULL in place of NaN.
      guard !real.isNaN else { throw ColumnValueError.unstorable(real, "SQLite has no NaN") }
      code = sqlite3_bind_double(handle, index, real)
    case .text(var text):
      code = text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          csqlite_bind_text_copy(handle, index, bytes.baseAddress, UInt64(bytes.count))
        }
      }
    case .invalidText(let data) where data.isEmpty:
      return try bind(DatabaseValue.text(""), to: statement, at: index)
    case .invalidText(let data):
      code = data.withUnsafeBytes {
        csqlite_bind_text_copy(
          handle, index, $0.bindMemory(to: CChar.self).baseAddress, UInt64($0.count))
      }
    case .blob(let data):
      code =
        data.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : data.withUnsafeBytes {
          csqlite_bind_blob_copy(handle, index, $0.baseAddress, UInt64($0.count))
        }
    }
    guard code == SQLITE_OK else { throw error(code, sql: statement.sql) }
  }

  /// Binds a value of a query. For an array, binds a pointer to its elements. For a BLOB of zeros,
  /// binds only its size. Throws if the value cannot be stored.
  package func bind(_ value: BoundValue, to statement: StatementPointer, at index: Int32) throws {
    switch value {
    case .value(let value): try bind(value, to: statement, at: index)
    case .array(let array): try ArrayTable.bind(array, to: statement, at: index, on: self)
    case .unstorable(let error): throw error
    case .argument(let argument):
      let values = state.pointee.statementArguments
      if argument.index < values.count {
        return try bind(values[argument.index], to: statement, at: index)
      }
      throw DatabaseError.misuse(
        "the query uses a parameter of `prepare`, but was not made by `prepare`; "
          + "use a value instead")
    case .zeroBlob(let count):
      guard count >= 0 else {
        throw ColumnValueError.unstorable(count, "the size of a BLOB cannot be negative")
      }
      try check(
        sqlite3_bind_zeroblob64(statement.handle, index, UInt64(count)), sql: statement.sql)
    }
  }

  /// Runs a closure. While the closure runs, prepared queries bind these values to their
  /// parameters.
  package func withArguments<Result>(
    _ values: [DatabaseValue], _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = state.pointee.statementArguments
    state.pointee.statementArguments = values
    defer { state.pointee.statementArguments = outer }
    return try body()
  }

  /// Binds the values of a piece of SQL. Throws if their number differs from the number of
  /// parameters.
  package func bind(_ sql: SQL, to statement: StatementPointer) throws {
    try bind(sql.bindings, to: statement)
  }

  /// Binds the values of a piece of SQL, in order, to the parameters of a statement. Throws if the
  /// number of values differs from the number of parameters.
  func bind(_ values: some Collection<BoundValue>, to statement: StatementPointer) throws {
    let expected = Int(sqlite3_bind_parameter_count(statement.handle))
    guard values.count == expected else {
      throw DatabaseError(
        code: .range,
        message: "the statement has \(expected) parameters, and \(values.count) values were given",
        sql: statement.sql)
    }
    var index: Int32 = 0
    for value in values {
      index += 1
      try bind(value, to: statement, at: index)
    }
  }
}
