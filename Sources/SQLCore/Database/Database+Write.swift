extension Database {
  /// Runs a closure in a transaction of the one writer: committed when it returns, rolled back when
  /// it throws.
  ///
  /// It runs on this thread, waiting for earlier writes and, as long as the busy timeout says, for
  /// other processes. It returns the closure's value and rethrows its error; `requestRollback()`
  /// on the connection rolls back without one. What is returned is on disk, as far as
  /// `Configuration.synchronous` says. With a deadline, waiting and writing are ended when it
  /// passes, the transaction is rolled back, and `DeadlineExceeded` is thrown.
  ///
  /// - Parameter label: what those who observe are told that this write is.
  /// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
  @discardableResult
  public func write<Result>(
    label: String? = nil, deadline: Duration? = nil, _ body: (Connection) throws -> Result
  ) throws -> Result {
    try writing(AccessOptions(deadline: deadline)) { core in
      core.writeLabel = label
      return try core.transaction(.immediate) { try body(core.lend()) }
    }
  }

  /// The same from asynchronous code: the closure runs on the thread of the writer, and the task
  /// suspends meanwhile.
  ///
  /// Writes that wait at the same time share a commit: each is a savepoint of one transaction, and
  /// is answered after its commit, in the order in which they came. Where another one makes SQLite
  /// roll back the whole, this throws `SharedTransactionRolledBack`. `alone: true`, and a deadline,
  /// share with nobody. Cancelling the task ends its waiting or its statement, rolls back, and
  /// throws `CancellationError`.
  ///
  /// - Parameter label: what those who observe are told that this write is.
  /// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
  @discardableResult
  nonisolated(nonsending)
    public func write<Result: Sendable>(
      label: String? = nil, alone: Bool = false, deadline: Duration? = nil,
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    guard !alone, deadline == nil else {
      return try await writing(AccessOptions(deadline: deadline)) { core in
        core.writeLabel = label
        return try core.transaction(.immediate) { try body(core.lend()) }
      }
    }
    return try await sharing(
      SharedWriteClosure(canRunAgain: false) { core in
        core.writeLabel = label
        return try body(core.lend())
      })
  }

  /// A write that is nothing but data: run again where another one undid it.
  nonisolated(nonsending)
    package func writeData<Result: Sendable>(
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await sharing(SharedWriteClosure(canRunAgain: true) { try body($0.lend()) })
  }

  /// Lends the writer without a transaction, for what SQLite refuses in one: VACUUM, some PRAGMAs,
  /// transactions begun by hand. One that is left open is rolled back.
  @discardableResult
  public func writeWithoutTransaction<Result>(
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try writing { core in try body(core.lend()) }
  }

  /// The same from asynchronous code, on the thread of the writer.
  @discardableResult
  nonisolated(nonsending)
    public func writeWithoutTransaction<Result: Sendable>(
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await writing(AccessOptions()) { core in try body(core.lend()) }
  }

  /// Asks the writer something between two of its accesses, which is none itself for who observes,
  /// and for who closes the database: that waits for its end.
  nonisolated(nonsending)
    package func askingWriter<Result: Sendable>(
      _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    var options = AccessOptions()
    options.hops = location.isFile
    options.isLook = true
    return try await access.run(.writer, options, body)
  }

  package func writing<Result>(_ body: (ConnectionCore) throws -> Result) throws -> Result {
    try writing(AccessOptions(), body)
  }

  private func writing<Result>(
    _ options: AccessOptions, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    try access.run(.writer, options) { core in
      defer { keepLogWithinBound(core) }
      return try attended(core, body)
    }
  }

  /// Lends the writer to a task. To a file it writes on a thread of the database: it waits for the
  /// disk.
  nonisolated(nonsending)
    func writing<Result: Sendable>(
      _ options: AccessOptions, _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    var options = options
    options.hops = location.isFile
    return try await access.run(.writer, options) { core in
      defer { self.keepLogWithinBound(core) }
      return try self.attended(core, body)
    }
  }

  nonisolated(nonsending)
    private func sharing<Write: SharedWrite>(_ write: Write) async throws -> Write.Value
  {
    try await access.share(write) { core, first in
      let pool = self.access.pool
      pool.enter(with: core)
      var answers: [() -> Void] = []
      do {
        try self.access.begin(core)
        try self.attended(core) { core in
          answers = SharedTransaction.run(first: first, on: core, pool: pool)
        }
      } catch {
        // The observer could not begin: nothing ran.
        first.finish()
        first.sharedWrite?.finish(throwing: error)
      }
      self.keepLogWithinBound(core)
      // Given back first: who was answered may close the database. Those who write again still stand
      // together in line for the next commit, which begins on this thread after the answers.
      pool.giveBack(core, to: .writer)
      for answer in answers { answer() }
    }
  }

  /// Tells the observer, if there is one, of the beginning and the end.
  private func attended<Result>(
    _ core: ConnectionCore, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    let observer = writeObserver.withLock { $0 }
    try observer?.writeWillBegin(on: core)
    defer {
      core.rollBack()
      // One that came meanwhile is told, too: it saw nothing of this write.
      (observer ?? writeObserver.withLock { $0 })?.writeDidEnd(on: core)
    }
    return try body(core)
  }
}
