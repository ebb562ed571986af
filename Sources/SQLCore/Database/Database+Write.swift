#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Database {
  /// Runs a closure in a transaction on the database's only writer. The transaction is committed
  /// when the closure returns, and rolled back when the closure throws.
  ///
  /// The closure runs on this thread. The thread first waits for earlier writes, and for other
  /// processes as long as the busy timeout allows. Returns the closure's value and rethrows its
  /// error. To roll back without an error, call `requestRollback()` on the connection. When this
  /// method returns, the changes are as safe on the disk as `Configuration.synchronous` ensures. If
  /// the deadline passes, this method stops waiting or writing, rolls back the transaction, and
  /// throws `DeadlineExceeded`.
  ///
  /// - Parameter label: A name for this write, reported to observers of changes.
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

  /// Runs a closure in a transaction. This is the asynchronous form. The closure runs on the
  /// writer's thread, while the task is suspended.
  ///
  /// Writes that wait at the same time are committed together: they run in one transaction, each in
  /// its own savepoint. The calls return after the commit, in the order in which the writes were
  /// requested. If another write makes SQLite roll back the whole transaction, or if the common
  /// commit fails, this method throws `SharedTransactionRolledBack`. A write with `alone: true` or
  /// with a deadline has its own transaction. In memory, such a write may run on the calling
  /// thread. Cancelling the task ends the wait or the running statement, rolls back, and throws
  /// `CancellationError`. If earlier writes share the transaction, a running statement that writes
  /// is not interrupted, but first runs to its end.
  ///
  /// - Parameter label: A name for this write, reported to observers of changes.
  /// - SeeAlso: <https://www.sqlite.org/lang_transaction.html>
  @discardableResult
  public func write<Result: Sendable>(
    label: String? = nil, alone: Bool = false, deadline: Duration? = nil,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    guard !alone, deadline == nil else {
      return try await writing(AccessOptions(deadline: deadline)) { core in
        core.writeLabel = label
        return try core.transaction(.immediate) { try body(core.lend()) }
      }
    }
    return try await sharing(canRunAgain: false) { core in
      core.writeLabel = label
      return try body(core.lend())
    }
  }

  /// Runs a closure in a transaction on the writer's thread, for code that cannot be `async`. Then
  /// calls `completion` on the same thread, with the closure's value or the error.
  ///
  /// ```swift
  /// db.write { try $0.insert(post) } completion: { result in … }
  /// ```
  ///
  /// The call returns at once. Writes run in the order in which they were requested, each in its
  /// own transaction. When `completion` is called, the transaction has ended and the pool has its
  /// writer back. If the database was closed, or if this method is called inside an access of the
  /// database, `completion` gets the error on another thread.
  public func write<Result: Sendable>(
    label: String? = nil, deadline: Duration? = nil,
    _ body: @escaping @Sendable (Connection) throws -> Result,
    completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
  ) {
    access.run(
      .writer, AccessOptions(deadline: deadline),
      { core in
        core.writeLabel = label
        defer { self.keepWALWithinBound(core) }
        return try self.attended(core) { core in
          try core.transaction(.immediate) { try body(core.lend()) }
        }
      }, completion: completion)
  }

  /// Runs one or more statements in one transaction. Interpolated values are bound.
  public func execute(_ sql: SQL) throws {
    try write { try $0.execute(sql) }
  }

  /// Runs one or more statements in one transaction. Interpolated values are bound.
  public func execute(_ sql: SQL) async throws {
    try await write { try $0.execute(sql) }
  }

  /// Runs one call of the library, such as an `insert`, in a transaction of its own.
  package func writeData<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try writing { core in
      try core.transaction(.immediate) { try core.asOneCall { try body(core.lend()) } }
    }
  }

  /// Runs one call of the library that only writes data, such as an `insert`. The call may share
  /// its transaction with other writes. If one of them makes SQLite roll back the transaction, runs
  /// the call again.
  package func writeData<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await sharing(canRunAgain: true) { core in
      core.writeLabel = nil
      return try core.asOneCall { try body(core.lend()) }
    }
  }

  /// Runs a write whose closure may run several times. The write may share its transaction with
  /// others. If one of them makes SQLite roll back the transaction, runs the write again.
  func writeAgainIfUndone<Result: Sendable>(
    label: String?, _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await sharing(canRunAgain: true) { core in
      core.writeLabel = label
      return try body(core.lend())
    }
  }

  /// Runs a closure with the writer, without a transaction. Use it for statements that SQLite
  /// refuses inside a transaction: VACUUM, some PRAGMAs, and BEGIN. If the closure leaves a
  /// transaction open, the transaction is rolled back.
  @discardableResult
  public func writeWithoutTransaction<Result>(
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try writing { core in
      // Kept snapshots would obstruct a checkpoint, which the closure may run.
      access.pool.endKeptSnapshots()
      return try body(core.lend())
    }
  }

  /// Runs a closure with the writer, without a transaction. This is the asynchronous form. If the
  /// database is a file, the closure runs on the writer's thread.
  @discardableResult
  public func writeWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await writing(AccessOptions()) { core in
      self.access.pool.endKeptSnapshots()
      return try body(core.lend())
    }
  }

  /// Runs one of the library's own reads with the writer, as soon as no other access uses the
  /// writer. Observers are not notified of the read. Closing the database waits for the read to
  /// end.
  package func askingWriter<Result: Sendable>(
    _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    var options = AccessOptions()
    options.hops = location.isShared
    options.isProbe = true
    return try await access.run(.writer, options, body)
  }

  package func writing<Result>(_ body: (ConnectionCore) throws -> Result) throws -> Result {
    try writing(AccessOptions(), body)
  }

  /// Runs a closure with the writer, without a transaction. This is the asynchronous form of
  /// `writing`. It has another name because asynchronous code may also call the synchronous form.
  package func writingFromTask<Result: Sendable>(
    _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    try await writing(AccessOptions(), body)
  }

  private func writing<Result>(
    _ options: AccessOptions, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    try access.run(.writer, options) { core in
      core.writeLabel = nil
      defer { keepWALWithinBound(core) }
      return try attended(core, body)
    }
  }

  /// Runs a closure with the writer. This is the asynchronous form. If the database is a file, the
  /// closure runs on a thread of the database, because writing waits for the disk.
  func writing<Result: Sendable>(
    _ options: AccessOptions, _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    var options = options
    options.hops = location.isShared
    return try await access.run(.writer, options) { core in
      core.writeLabel = nil
      defer { self.keepWALWithinBound(core) }
      return try self.attended(core, body)
    }
  }

  private func sharing<Result: Sendable>(
    canRunAgain: Bool, _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    let write = SharedWriteClosure(canRunAgain: canRunAgain, access.carryingOrigin(body))
    return try await access.share(write) { core, first in
      let pool = self.access.pool
      pool.enter(with: core)
      var answers: [() -> Void] = []
      do {
        try self.access.begin(core)
        try self.attended(core) { core in
          answers = SharedTransaction.run(first: first, on: core, pool: pool)
        }
      } catch {
        // If this error is thrown, the access or its observer could not begin, so no write has run.
        first.finish()
        first.sharedWrite?.finish(throwing: error)
      }
      self.keepWALWithinBound(core)
      // The connection is given back before the callers get their results, because a caller may
      // then close the database. Callers that write again at once still share the next commit,
      // because the next commit begins later on this thread.
      pool.giveBack(core, to: .writer)
      for answer in answers { answer() }
    }
  }

  /// Runs a closure with the writer. If there is an observer, notifies it before and after the
  /// closure.
  private func attended<Result>(
    _ core: ConnectionCore, _ body: (ConnectionCore) throws -> Result
  ) throws -> Result {
    let observer = writeObserver.withLock { $0 }
    // The pre-update hook reports changed rows to the cache. Without the hook, each commit would
    // remove all entries of the cache.
    if !core.state.pointee.cacheFeed.isOn, cache.isUsed.load(ordering: .acquiring),
      ConnectionCore.hasPreUpdateHook
    {
      core.feed(cache)
    }
    try observer?.writeWillBegin(on: core)
    defer {
      core.rollBack()
      core.state.pointee.cacheFeed.didEnd()
      // An observer that was installed during the write is notified as well. It saw no changes of
      // the write, so it must assume that anything may have changed.
      let observer = observer ?? writeObserver.withLock { $0 }
      if core.state.pointee.isContentReplaced {
        core.state.pointee.isContentReplaced = false
        observer?.contentWasReplaced(on: core)
      }
      observer?.writeDidEnd(on: core)
    }
    return try body(core)
  }
}

/// An observer that is called when an access to the writer begins, and when it has ended. No
/// transaction is open at these times.
package protocol AccessObserver: AnyObject, Sendable {
  /// Called when an access gets the writer. If this throws, the access ends with the error.
  func writeWillBegin(on core: ConnectionCore) throws
  /// Called when the access has ended, successfully or not, even if `writeWillBegin` was not called
  /// for it.
  func writeDidEnd(on core: ConnectionCore)
  /// Called before `writeDidEnd` if a backup or `deserialize` has replaced the whole content of the
  /// database.
  func contentWasReplaced(on core: ConnectionCore)
  /// Called after the database was closed or its last reference was released. No writes follow.
  func databaseDidClose()
}
