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

  /// Runs a statement of our own through the cache.
  package func run(cached text: String) throws {
    let statement = try lendStatement(text: text)
    defer { giveBack(statement) }
    try run(statement)
  }

  package func transaction<Result>(
    _ kind: TransactionKind, _ body: () throws -> Result
  ) throws -> Result {
    try run(cached: kind.rawValue)
    return try endingTransaction {
      let requested = isRollbackRequested
      isRollbackRequested = false
      defer { isRollbackRequested = requested }
      let result = try body()
      guard isInTransaction else {
        throw DatabaseError.misuse(
          "the transaction was ended inside its closure by COMMIT or ROLLBACK; "
            + "return from the closure to commit, throw or call `requestRollback()` to roll back")
      }
      try run(cached: isRollbackRequested ? "ROLLBACK" : "COMMIT")
      return result
    }
  }

  /// Rolls back what an error leaves open; SQLite may have done so itself.
  private func endingTransaction<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      if isInTransaction { try? run(cached: "ROLLBACK") }
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
    let requested = isRollbackRequested
    isRollbackRequested = false
    defer { isRollbackRequested = requested }
    do {
      let result = try body()
      if isRollbackRequested { try run(cached: "ROLLBACK TO \(name)") }
      try run(cached: "RELEASE \(name)")
      return result
    } catch {
      // A whole rollback, by SQLite or in the closure, took the savepoint with it.
      if isInTransaction {
        try? run(cached: "ROLLBACK TO \(name)")
        try? run(cached: "RELEASE \(name)")
      }
      throw error
    }
  }
}
