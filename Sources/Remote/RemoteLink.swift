import CSQLite
import SQLCore

/// The link between a connection and the engine that runs its statements. It has the session with
/// the engine, and the statements that the connection has compiled.
///
/// A link belongs to one connection. Only the thread that uses the connection uses the link.
final class RemoteLink {
  let database: RemoteDatabase
  let engine: any RemoteEngine
  /// The maximum number of parameters of a statement.
  let maximumParameterCount: Int
  /// The connection. It retains the link until its SQLite handle is closed.
  unowned let core: ConnectionCore
  /// The session; nil before the first statement, and after it was lost.
  private var session: (any RemoteSession)?
  /// The compiled statements, by their numbers. The substitute that runs in place of a statement
  /// passes the statement's number to the virtual table (see `RemoteStatement`).
  private var statements: [Int64: UnownedStatement] = [:]
  private var lastNumber: Int64 = 0
  /// The rows that are being read from the session.
  private var openRows: (any RemoteRows)?
  /// The error of the statement that just failed. SQLite passes on only the code and the message of
  /// an error, so the whole error is kept here.
  private var failure: (any Error)?
  /// Whether the link has begun a transaction for a single statement. The connection itself does
  /// not know of this transaction.
  private var surroundsStatement = false
  /// The name of the savepoint that has begun the open transaction; nil if BEGIN has begun it. The
  /// release of this savepoint commits the transaction.
  private var firstSavepoint: String?
  private(set) var changeCount = 0
  /// The settings that the session must have.
  var settings = RemoteSettings()
  /// The settings that the session has; nil if they are not known.
  private var sessionSettings: RemoteSettings?
  /// The version of the schema that the connection has copied; 0 before the first copy.
  var copiedSchema: UInt64 = 0
  /// A closure that returns whether the running read or write must end.
  let isStopped: () -> Bool

  private struct UnownedStatement {
    unowned let statement: RemoteStatement
  }

  init(_ database: RemoteDatabase, _ engine: any RemoteEngine, _ core: ConnectionCore) {
    self.database = database
    self.engine = engine
    maximumParameterCount = min(
      max(engine.maximumParameterCount, 0), RemoteTable.maximumParameterCount)
    self.core = core
    isStopped = { [unowned core] in core.mustStop }
  }

  /// Whether the session has an open transaction. The state of the connection shows this, because a
  /// statement that begins or ends a transaction also runs on the copy of the schema.
  var isInTransaction: Bool { surroundsStatement || core.isInTransaction }

  // MARK: Statements

  func makeStatement(
    _ template: OpaquePointer, _ effects: StatementEffects
  ) throws -> RemoteStatement {
    lastNumber += 1
    let statement = try RemoteStatement(
      number: lastNumber, template: template, effects: effects, link: self)
    statements[lastNumber] = UnownedStatement(statement: statement)
    return statement
  }

  func forget(_ number: Int64) {
    statements[number] = nil
  }

  // MARK: Running

  /// Sends a statement that returns rows. `number` is the number of the statement in `statements`.
  func rows(of number: Int64, _ arguments: RemoteArguments) throws -> any RemoteRows {
    try noting {
      let statement = try statement(number)
      let values = try arguments.values(for: statement.text)
      guard !statement.isReadOnly else { return try rows(of: statement, values) }
      // Some engines require a transaction for a statement that both writes and returns rows.
      return try surrounding {
        try countingChanges {
          let rows = try rows(of: statement, values)
          try rows.keepRemaining(isStopped: isStopped)
          try askOutcome()
          return rows
        }
      }
    }
  }

  private func rows(
    of statement: RemoteStatement, _ values: [DatabaseValue]
  ) throws -> any RemoteRows {
    try rows(
      of: statement.text.sent, values, isReadOnly: statement.isReadOnly,
      columns: statement.columns, from: statement)
  }

  /// Sends a statement that returns no rows. Returns the rowid of the last insert.
  func run(_ number: Int64, _ arguments: RemoteArguments) throws -> Int64 {
    try noting {
      let statement = try statement(number)
      let values = try arguments.values(for: statement.text)
      let outcome = try countingChanges { try run(statement.text.sent, values, from: statement) }
      changeCount = outcome.changeCount
      return outcome.lastInsertRowID
    }
  }

  /// Runs a closure that sends a statement. If the statement violates a constraint, asks the engine
  /// how many of the changed rows stay changed. The number is 0, unless FAIL has ended the
  /// statement, as in `INSERT OR FAIL` or by RAISE(FAIL) in a trigger.
  private func countingChanges<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError where error.code.primary == .constraint {
      changeCount = 0
      if session?.isOpen == true { try? askOutcome() }
      throw error
    }
  }

  /// Sends a statement that also runs on the copy of the schema. If the session is lost, a rollback
  /// succeeds, because the engine has already rolled the transaction back.
  func send(_ statement: RemoteStatement) throws {
    if session == nil, statement.isRollback { return }
    let isInTransaction = isInTransaction
    let released = statement.releasedSavepoint
    do {
      _ = try run(
        statement.text.sent, [], beginsTransaction: statement.beginsTransaction,
        endsTransaction: statement.isCommit || released != nil && released == firstSavepoint,
        from: statement)
    } catch  where session == nil && statement.isRollback {
      return
    }
    if !isInTransaction { firstSavepoint = statement.openedSavepoint }
  }

  /// Sends a statement of the library's own, and calls a closure for each row.
  func forEachRow(of sql: String, _ body: (any RemoteRows) throws -> Void) throws {
    let rows = try rows(of: sql, [], isReadOnly: true)
    defer { close(rows) }
    while try rows.next(isStopped: isStopped) { try body(rows) }
  }

  func dataVersion() throws -> Int32 {
    var version: Int32 = 0
    try forEachRow(of: "PRAGMA data_version") { row in
      row.withValue(at: 0) { value in
        if case .integer(let number) = value { version = Int32(truncatingIfNeeded: number) }
      }
    }
    return version
  }

  private func askOutcome() throws {
    try forEachRow(of: "SELECT changes(), last_insert_rowid()") { row in
      row.withValue(at: 0) {
        if case .integer(let count) = $0 { changeCount = Int(clamping: count) }
      }
      row.withValue(at: 1) {
        if case .integer(let id) = $0 { core.lastInsertRowID = id }
      }
    }
  }

  private func surrounding<Result>(_ body: () throws -> Result) throws -> Result {
    guard !isInTransaction else { return try body() }
    _ = try run("BEGIN IMMEDIATE", [], beginsTransaction: true)
    surroundsStatement = true
    defer { surroundsStatement = false }
    do {
      let result = try body()
      _ = try run("COMMIT", [], endsTransaction: true)
      return result
    } catch {
      if session != nil { _ = try? run("ROLLBACK", []) }
      throw error
    }
  }

  private func run(
    _ sql: String, _ values: [DatabaseValue], beginsTransaction: Bool = false,
    endsTransaction: Bool = false, from statement: RemoteStatement? = nil
  ) throws -> RemoteOutcome {
    try sending(
      sql, values, isReadOnly: false, beginsTransaction: beginsTransaction,
      endsTransaction: endsTransaction, from: statement
    ) { session, text in
      try session.run(text, isStopped: isStopped)
    }
  }

  private func rows(
    of sql: String, _ values: [DatabaseValue], isReadOnly: Bool, columns: [RemoteText.Column] = [],
    from statement: RemoteStatement? = nil
  ) throws -> any RemoteRows {
    let rows = try sending(
      sql, values, isReadOnly: isReadOnly, columns, from: statement
    ) { session, text in
      try session.rows(of: text, isStopped: isStopped)
    }
    openRows = rows
    return rows
  }

  /// Sends a statement. Opens a session if needed, and waits while another session has locked the
  /// database. If the session is lost, sends the statement again in three cases: it certainly did
  /// not run, it only reads, or it begins a transaction. In a transaction, no other session is
  /// opened, because the engine has rolled the transaction back.
  ///
  /// - Parameter statement: the program's statement; nil for one of the library's own statements.
  private func sending<Result>(
    _ sql: String, _ values: [DatabaseValue], isReadOnly: Bool, beginsTransaction: Bool = false,
    endsTransaction: Bool = false, _ columns: [RemoteText.Column] = [],
    from statement: RemoteStatement?,
    _ send: (any RemoteSession, RemoteText) throws -> Result
  ) throws -> Result {
    guard values.count <= maximumParameterCount else {
      throw DatabaseError(
        code: .tooBig,
        message: "the statement has \(values.count) parameters, and \(engine.name) "
          + "accepts at most \(maximumParameterCount)", sql: sql)
    }
    let isInTransaction = isInTransaction
    let text = RemoteText(
      sql: sql, values: values, isReadOnly: isReadOnly, isInTransaction: isInTransaction,
      columns: columns, firstTokens: statement?.text.firstTokens ?? SQLTokens(sql).firstTokens)
    var attempts: Int32 = 0
    while true {
      do {
        if isInTransaction, session?.isOpen != true { throw RemoteSessionError.transactionLost }
        let session = try openSession()
        try openRows?.keepRemaining(isStopped: isStopped)
        openRows = nil
        try applySettings(to: session)
        return try send(session, text)
      } catch var error as RemoteSessionError {
        drop()
        if !error.allowsRetry {
          error.allowsRetry = statement.map { endsSoon($0.sql) } ?? true
        }
        guard !isInTransaction else { throw endsTransaction ? error : error.withoutEffect }
        if isReadOnly || beginsTransaction { error = error.withoutEffect }
        guard error.outcome == .notRun, error.allowsRetry || !isReadOnly, !isStopped(),
          core.waitsForLock(after: attempts)
        else { throw error }
      } catch let error as DatabaseError where error.code.primary == .busy && !isInTransaction {
        guard core.waitsForLock(after: attempts) else { throw error }
      } catch {
        if session?.isOpen == false { drop() }
        throw error
      }
      attempts += 1
    }
  }

  // MARK: The session

  private func openSession() throws -> any RemoteSession {
    if let session, session.isOpen { return session }
    let opened = try engine.connect(isReader: core.isReader, isStopped: isStopped)
    session = opened
    sessionSettings = nil
    return opened
  }

  /// Sends the PRAGMAs that give the session the settings of the connection.
  private func applySettings(to session: any RemoteSession) throws {
    guard sessionSettings != settings else { return }
    for pragma in settings.pragmas(from: sessionSettings) {
      _ = try session.run(RemoteText(sql: pragma), isStopped: isStopped)
    }
    sessionSettings = settings
  }

  private func drop() {
    session?.close()
    session = nil
    openRows = nil
  }

  func close() {
    drop()
  }

  func close(_ rows: any RemoteRows) {
    rows.close()
    if openRows === rows { openRows = nil }
    if session?.isOpen == false { drop() }
  }

  /// Returns whether the engine still has the connection's transaction after a statement has
  /// failed. A constraint with ROLLBACK and some system errors end the transaction.
  func hasTransaction(after failure: any Error) -> Bool {
    guard session != nil else { return false }
    guard let error = failure as? DatabaseError, error.code.primary != .error else { return true }
    do {
      _ = try run("BEGIN", [])
      _ = try run("ROLLBACK", [])
      return false
    } catch {
      return session != nil
    }
  }

  // MARK: Errors

  private func statement(_ number: Int64) throws -> RemoteStatement {
    guard let known = statements[number] else {
      throw DatabaseError.misuse("\(RemoteTable.rowsName) is for the library's own use")
    }
    return known.statement
  }

  /// Runs a closure, and keeps the error that it throws. SQLite then reports an error of its own
  /// for the statement. The kept error replaces SQLite's error.
  func noting<Result>(_ body: () throws -> Result) throws -> Result {
    failure = nil
    do {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }

  func takeFailure() -> (any Error)? {
    defer { failure = nil }
    return failure
  }
}

extension RemoteSessionError {
  static let transactionLost = RemoteSessionError(
    outcome: .notRun, message: "the session was lost, and the transaction was rolled back")

  /// The same error, with the outcome that nothing was changed. This is certain for a statement
  /// that only reads, and for a statement in a transaction whose COMMIT was not sent.
  var withoutEffect: RemoteSessionError {
    RemoteSessionError(outcome: .notRun, message: message, allowsRetry: allowsRetry)
  }
}
