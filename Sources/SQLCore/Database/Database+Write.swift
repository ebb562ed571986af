extension Database {
  /// Runs a closure in a transaction of the one writer: committed when it returns, rolled back when
  /// it throws.
  ///
  /// It runs on this thread, waiting for earlier writes and, as long as the busy timeout says, for
  /// other processes. It returns the closure's value and rethrows its error; `requestRollback()`
  /// on the connection rolls back without one. What is returned is on disk, as far as
  /// `Configuration.synchronous` says.
  @discardableResult
  public func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try writing { core in try core.transaction(.immediate) { try body(core.lend()) } }
  }

  /// The same from asynchronous code: the closure runs on the thread of the writer, and the task
  /// suspends meanwhile. Cancelling the task before its turn throws `CancellationError`.
  @discardableResult
  nonisolated(nonsending)
    public func write<Result: Sendable>(
      _ body: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result
  {
    try await writing { core in try core.transaction(.immediate) { try body(core.lend()) } }
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
    try await writing { core in try body(core.lend()) }
  }

  package func writing<Result>(_ body: (ConnectionCore) throws -> Result) throws -> Result {
    let core = try open(pool.takeBlocking(.writer))
    defer { pool.giveBack(core, to: .writer) }
    return try attended(core, body)
  }

  nonisolated(nonsending)
    package func writing<Result: Sendable>(
      _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    try await onThread(writerThread, lane: .writer) { core in try self.attended(core, body) }
  }

  /// Tells the observer, if there is one, of the beginning and the end.
  private func attended<Result>(
    _ core: ConnectionCore, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    let observer = writeObserver.withLock { $0 }
    try observer?.writeWillBegin(on: core)
    defer {
      if core.isInTransaction { try? core.run(cached: "ROLLBACK") }
      // One that came meanwhile is told, too: it saw nothing of this write.
      (observer ?? writeObserver.withLock { $0 })?.writeDidEnd(on: core)
    }
    return try body(core)
  }
}
