import CSQLite

/// How a transaction takes its locks.
///
/// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
public enum TransactionKind: String, Sendable {
  /// At the first statement; one that reads and then writes fails at once where another wrote
  /// meanwhile.
  case deferred = "BEGIN DEFERRED"
  /// The write lock now, waiting for it as long as the busy timeout says.
  case immediate = "BEGIN IMMEDIATE"
  /// In WAL mode as `immediate`; else readers are locked out, too.
  case exclusive = "BEGIN EXCLUSIVE"
}

extension Connection {
  /// Runs a closure in a transaction: committed when it returns, rolled back when it throws.
  ///
  /// It returns the closure's value and rethrows its error. `requestRollback()` inside rolls back
  /// without an error. A commit that fails is rolled back, and its error thrown. Inside another
  /// transaction this throws misuse: `savepoint` is what nests.
  @discardableResult
  public func transaction<Result>(
    _ kind: TransactionKind = .immediate, _ body: (Connection) throws -> Result
  ) throws -> Result {
    let core = try use()
    guard !core.isInTransaction else {
      throw DatabaseError.misuse("a transaction is open already; `savepoint { }` nests")
    }
    return try core.transaction(kind) { try body(self) }
  }

  /// Runs a closure in a savepoint: released when it returns, undone when it throws.
  ///
  /// Savepoints nest, in transactions and in each other; outside a transaction the outermost one is
  /// a transaction of its own. `requestRollback()` inside undoes without an error.
  /// - SeeAlso: <https://www.sqlite.org/lang_savepoint.html>
  @discardableResult
  public func savepoint<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try use().savepoint { try body(self) }
  }

  /// Makes the innermost transaction or savepoint roll back when its closure returns, which is no
  /// error then.
  public func requestRollback() throws {
    try use().isRollbackRequested = true
  }
}

extension ConnectionCore {
  var isRollbackRequested: Bool {
    get { state.pointee.isRollbackRequested }
    set { state.pointee.isRollbackRequested = newValue }
  }

  package func transaction<Result>(
    _ kind: TransactionKind, _ body: () throws -> Result
  ) throws -> Result {
    guard !state.pointee.guardsTransaction else { throw rolledBack }
    guard kind == .deferred || !configuration.isReadOnly else { throw readOnly(sql: nil) }
    try run(cached: kind.rawValue)
    do {
      let (result, isRollbackRequested) = try guardingTransaction(body)
      guard !isRollbackRequested else {
        rollBack()
        return result
      }
      try run(cached: "COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    // The outermost savepoint begins a transaction, and releasing it commits: ROLLBACK TO would
    // leave it open, so it is a transaction from the start.
    guard isInTransaction else { return try transaction(.immediate, body) }
    state.pointee.savepointDepth += 1
    defer { state.pointee.savepointDepth -= 1 }
    let name = "apus_\(state.pointee.savepointDepth)"
    try run(cached: "SAVEPOINT \(name)")
    do {
      let (result, isRollbackRequested) = try guardingTransaction(body)
      if isRollbackRequested { try undo("ROLLBACK TO \(name)") }
      try undo("RELEASE \(name)")
      return result
    } catch {
      // A whole rollback, by SQLite or in the closure, took the savepoint with it.
      guard isInTransaction else { throw error }
      do {
        try undo("ROLLBACK TO \(name)")
        try undo("RELEASE \(name)")
        // What a savepoint inside could not undo went with this one.
        if !state.pointee.guardsTransaction { state.pointee.rollbackCause = nil }
      } catch let failure {
        // Part of what the closure did stands: the transaction must not commit it.
        if state.pointee.guardsTransaction {
          state.pointee.rollbackCause = RollbackCause(failure)
        } else {
          rollBack()
          // Without memory, not even that can be done.
          if isInTransaction { state.pointee.rollbackCause = RollbackCause(failure) }
        }
      }
      throw error
    }
  }

  // MARK: Guarding

  /// Runs a closure in a transaction of ours: it can neither end it nor go on without it, and what
  /// it asked for at its end is told.
  ///
  /// Where the access was ended, by its task, its deadline or `interrupt()`, this throws so whatever
  /// the closure made of it: it may have caught the error, and gone on with half of its work.
  func guardingTransaction<Result>(
    _ body: () throws -> Result
  ) throws -> (Result, isRollbackRequested: Bool) {
    let outer = (state.pointee.guardsTransaction, isRollbackRequested)
    if !outer.0 { state.pointee.rollbackCause = nil }
    state.pointee.guardsTransaction = true
    isRollbackRequested = false
    defer { (state.pointee.guardsTransaction, isRollbackRequested) = outer }
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

  /// Throws what ended the access, if somebody did.
  private func checkEnded() throws {
    if let reason = state.pointee.stopReason { throw reason.error }
    if !isTransactionWhole, state.pointee.rollbackCause?.isInterruption == true {
      throw rolledBack
    }
  }

  /// Whether the transaction in which a closure runs can still commit.
  var isTransactionWhole: Bool { isInTransaction && state.pointee.rollbackCause == nil }

  /// What a statement of the closure meets, and what the closure ends with, once SQLite rolled the
  /// transaction back: without it, the statement would be committed alone.
  private var rolledBack: DatabaseError {
    DatabaseError(
      code: .abort,
      message: "the transaction was rolled back: "
        + (state.pointee.rollbackCause?.message ?? "by SQLite"))
  }

  /// Notes why SQLite rolled the transaction back, if it did.
  func noteRollback(after failure: any Error) {
    guard state.pointee.guardsTransaction, !isInTransaction, state.pointee.rollbackCause == nil
    else { return }
    state.pointee.rollbackCause = RollbackCause(failure)
  }

  /// Refuses what would leave the transaction in which a closure runs.
  func checkTransaction(beside statement: StatementPointer) throws {
    guard isTransactionWhole else { throw rolledBack }
    let effects = statement.pointee.effects
    guard !effects.isEmpty else { return }
    guard !effects.contains(.controlsTransaction) else {
      throw DatabaseError(
        code: .misuse,
        message: "BEGIN, COMMIT and ROLLBACK do not belong into this closure: it commits when it "
          + "returns, and rolls back when it throws or after `requestRollback()`; "
          + "`writeWithoutTransaction { }` has none", sql: statement.sql)
    }
    if effects.contains(.changesConnection) { state.pointee.changedConnection = true }
  }

  // MARK: Undoing

  /// Rolls back what is open; SQLite may have done so by itself.
  package func rollBack() {
    guard isInTransaction else { return }
    do {
      try undo("ROLLBACK")
    } catch {
      // An interruption holds until every statement has ended: those that somebody kept end here.
      endLentStatements()
      try? undo("ROLLBACK")
    }
  }

  /// Runs a statement that ends or undoes something: again where `interrupt()` met it.
  private func undo(_ text: String) throws {
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
