/// The ways in which a transaction takes its locks.
///
/// ```swift
/// try connection.transaction(.immediate) { tx in try tx.insert(post) }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
public enum TransactionKind: String, Sendable {
  /// Takes locks when statements need them. A transaction that reads first and then writes fails
  /// immediately if another connection has written in between.
  case deferred = "BEGIN DEFERRED"
  /// Takes the write lock at the beginning, and waits for the lock as long as the busy timeout
  /// allows.
  case immediate = "BEGIN IMMEDIATE"
  /// Does the same as `immediate` in WAL mode. In other modes, also locks readers out.
  case exclusive = "BEGIN EXCLUSIVE"
}

extension Connection {
  /// Runs a closure in a transaction, which is committed when the closure returns and rolled back
  /// when it throws.
  ///
  /// Returns the closure's value and rethrows its error. To roll back without an error, call
  /// `requestRollback()` in the closure. If the commit fails, the transaction is rolled back and
  /// the error is thrown. Throws misuse inside another transaction; use `savepoint` to nest.
  @discardableResult
  public func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: (Connection) throws -> Result
  ) throws -> Result {
    let core = try use()
    guard !core.isInTransaction else {
      throw DatabaseError.misuse("a transaction is already open; nest with `savepoint { }`")
    }
    return try core.transaction(kind) { try body(self) }
  }

  /// Runs a closure in a savepoint, which is released when the closure returns and undone when it
  /// throws.
  ///
  /// Savepoints nest in transactions and in each other. Outside a transaction, the outermost
  /// savepoint is a transaction of its own. To undo the changes without an error, call
  /// `requestRollback()` in the closure.
  /// - SeeAlso: <https://www.sqlite.org/lang_savepoint.html>
  @discardableResult
  public func savepoint<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try use().savepoint { try body(self) }
  }

  /// Not available. The connection that `write { }` passes to its closure is already in a
  /// transaction; to nest, use `savepoint { }`.
  @available(
    *, unavailable,
    message: """
      a connection is used directly: that of `write { }` is in its transaction already; nest with \
      `savepoint { }`
      """
  )
  @discardableResult
  public func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try savepoint(body)
  }

  /// Makes the innermost transaction or savepoint roll back when its closure returns. The rollback
  /// is not an error, so nothing is thrown. The closure can return `isRollbackRequested` to report
  /// the rollback to its caller.
  public func requestRollback() throws {
    try use().state.pointee.transaction.requestRollback()
  }

  /// Whether the innermost transaction or savepoint will be rolled back when its closure returns.
  ///
  /// If you want to know after a transaction whether it was rolled back, return this property
  /// together with the transaction's value. If the closure wants to commit but SQLite cannot,
  /// `write` or `transaction` throws instead.
  ///
  /// ```swift
  /// let (count, isRolledBack) = try db.write { tx in
  ///   let count = try tx.run(Post.update { $0.$views += 1 }.where { $0.$views > 10 })
  ///   if count > 100 { try tx.requestRollback() }
  ///   return (count, try tx.isRollbackRequested)
  /// }
  /// ```
  public var isRollbackRequested: Bool {
    get throws { try use().isRollbackRequested }
  }
}

extension ConnectionCore {
  var isRollbackRequested: Bool { state.pointee.transaction.isRollbackRequested }

  package func transaction<Result>(
    _ kind: TransactionKind, _ body: () throws -> Result
  ) throws -> Result {
    guard !state.pointee.transaction.guardsClosure else { throw rolledBack }
    guard kind == .deferred || !configuration.isReadOnly else { throw readOnly(sql: nil) }
    try run(cached: kind.rawValue)
    do {
      try beginWrite(kind)
      let (result, isRollbackRequested) = try guardingTransaction(body)
      guard !isRollbackRequested else {
        rollBack()
        return result
      }
      try endWrite()
      try run(cached: "COMMIT")
      return result
    } catch {
      rollBack()
      // If SQLite has already rolled the transaction back, `rollBack()` does nothing, and therefore
      // does not reset `ticks`.
      state.pointee.uniqueIDs.ticks = 0
      throw error
    }
  }

  package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    // Outside a transaction, SAVEPOINT would begin a transaction, RELEASE would commit it, and
    // ROLLBACK TO would leave it open. Here, an ordinary transaction is used instead.
    guard isInTransaction else { return try transaction(.immediate, body) }
    let name = "apus_\(state.pointee.transaction.openSavepoint())"
    defer { state.pointee.transaction.closeSavepoint() }
    try run(cached: "SAVEPOINT \(name)")
    do {
      let (result, isRollbackRequested) = try guardingTransaction(body)
      if isRollbackRequested { try undo("ROLLBACK TO \(name)") }
      try undo("RELEASE \(name)")
      return result
    } catch {
      // If no transaction is open any more, SQLite or the closure has rolled back the whole
      // transaction, including this savepoint.
      guard isInTransaction else { throw error }
      do {
        try undo("ROLLBACK TO \(name)")
        try undo("RELEASE \(name)")
        // If an inner savepoint could not undo its changes, the rollback of this savepoint has now
        // undone them.
        state.pointee.transaction.didUndo()
      } catch let failure {
        // The savepoint could not be undone, so some changes of the closure remain. The transaction
        // must therefore not be committed.
        if state.pointee.transaction.guardsClosure {
          state.pointee.transaction.noteRollback(because: failure)
        } else {
          rollBack()
          // If memory is exhausted, even this rollback can fail, so that the transaction is still
          // open.
          if isInTransaction { state.pointee.transaction.noteRollback(because: failure) }
        }
      }
      throw error
    }
  }

  /// Runs the statements of one call in a savepoint. If a statement throws, none of them has an
  /// effect, even if the caller of `write { }` catches the error.
  ///
  /// A savepoint costs two statements, and a copy of each page that changes. A call that has a
  /// transaction of its own needs no savepoint, because its error undoes the whole transaction.
  package func allOrNothing<Result>(_ body: () throws -> Result) throws -> Result {
    if state.pointee.transaction.belongsToCall { return try body() }
    return try savepoint(body)
  }

  /// Runs one call of the library, such as `db.insert(post)`. The call is the only work of its
  /// transaction or, in a shared transaction, of its savepoint. Inside the call, `allOrNothing`
  /// therefore needs no savepoint of its own.
  func asOneCall<Result>(_ body: () throws -> Result) throws -> Result {
    state.pointee.transaction.beginCall()
    defer { state.pointee.transaction.endCall() }
    return try body()
  }

  // MARK: Guarding

  /// Runs a closure in a transaction that the library began. The closure cannot end the
  /// transaction. After SQLite has rolled the transaction back, every statement of the closure
  /// throws. Returns whether the closure requested a rollback.
  ///
  /// If a cancelled task, the deadline or `interrupt()` ended the access, this method throws even
  /// if the closure caught the error. The closure may have done only half of its work.
  func guardingTransaction<Result>(
    _ body: () throws -> Result
  ) throws -> (Result, isRollbackRequested: Bool) {
    let outer = state.pointee.transaction.beginGuarding()
    defer { state.pointee.transaction.endGuarding(outer) }
    let result: Result
    do {
      result = try body()
    } catch {
      try checkEnded()
      throw error
    }
    try checkEnded()
    guard isTransactionWhole else { throw rolledBack }
    return (result, isRollbackRequested)
  }

  /// Throws if a cancellation, the deadline or `interrupt()` has ended the access.
  private func checkEnded() throws {
    if let reason = state.pointee.access.stopReason { throw reason.error }
    if !isTransactionWhole, state.pointee.transaction.rollbackCause?.isInterruption == true {
      throw rolledBack
    }
  }

  /// Whether the transaction in which a closure runs can still commit.
  var isTransactionWhole: Bool { isInTransaction && state.pointee.transaction.isWhole }

  /// The error for the closure and its statements after SQLite has rolled the transaction back.
  /// Without this error, each later statement would be committed on its own.
  private var rolledBack: DatabaseError {
    DatabaseError(
      code: .abort,
      message: "the transaction was rolled back: "
        + (state.pointee.transaction.rollbackCause?.message ?? "SQLite gave no reason"))
  }

  /// If SQLite has rolled the transaction back after an error, notes the error as the cause.
  func noteRollback(after failure: any Error) {
    if state.pointee.transaction.isWhole, state.pointee.transaction.guardsClosure, !isInTransaction
    {
      state.pointee.transaction.noteRollback(because: failure)
    }
  }

  /// Throws if the transaction in which a closure runs was rolled back, or if the closure's next
  /// statement would end the transaction. Called only if the transaction was rolled back, or if the
  /// statement does more than read and write rows.
  @inline(never)
  func checkTransaction(beside statement: StatementPointer) throws {
    guard isTransactionWhole else { throw rolledBack }
    let effects = statement.pointee.effects
    guard !effects.contains(.controlsTransaction) else {
      throw DatabaseError(
        code: .misuse,
        message: "BEGIN, COMMIT and ROLLBACK cannot run in this closure: it commits when it "
          + "returns, and rolls back when it throws or after `requestRollback()`; to control "
          + "transactions with SQL, use `writeWithoutTransaction { }`", sql: statement.sql)
    }
    if effects.contains(.changesConnection) { state.pointee.transaction.noteChangedConnection() }
  }

  // MARK: Undoing

  /// Rolls back the open transaction, if there is one; SQLite may already have rolled it back.
  package func rollBack() {
    guard isInTransaction else { return }
    do {
      try undo("ROLLBACK")
    } catch {
      // An interruption stays in effect until every running statement has ended, including
      // statements that the caller still holds. All of them are ended here.
      endLentStatements()
      try? undo("ROLLBACK")
    }
  }

  /// Runs a statement that undoes or releases changes. If `interrupt()` ends the statement, runs
  /// the statement again.
  private func undo(_ text: String) throws {
    if text.hasPrefix("ROLLBACK") { state.pointee.uniqueIDs.ticks = 0 }
    var attempts = 0
    while true {
      do {
        return try run(cached: text)
      } catch let error as DatabaseError where error.code.primary == .interrupt && attempts < 100 {
        attempts += 1
      }
    }
  }
}
