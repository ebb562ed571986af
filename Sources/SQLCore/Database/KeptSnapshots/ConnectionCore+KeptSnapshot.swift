import CSQLite

extension ConnectionCore {
  /// Runs a closure that only reads, in the snapshot that the connection has kept if nothing was
  /// committed since. Keeps the snapshot afterwards if that is possible.
  ///
  /// - Parameter isOneStatement: Whether the closure runs one statement of the library's, which
  ///   needs no transaction of its own. Otherwise the closure may be the caller's.
  func readingKeptSnapshot<Result>(
    isOneStatement: Bool, _ body: () throws -> Result
  ) throws -> Result {
    let isNew = !state.pointee.kept.isKept
    let version = isNew ? try beginSnapshot() : nil
    guard !isNew || version != nil else {
      return try reading { try isOneStatement ? body() : snapshot(body) }
    }
    do {
      let result = try isOneStatement ? body() : guardingTransaction(body).0
      if isNew || !isInTransaction || !state.pointee.kept.isCurrent {
        try endSnapshot(unless: version)
      }
      return result
    } catch {
      endKeptSnapshot()
      throw error
    }
  }

  /// Ends the transaction of a kept snapshot, if there is one. It may be called while the pool's
  /// lock is held: it runs no code of a caller.
  func endKeptSnapshot() {
    if state.pointee.kept.isKept { try? runOwn(state.pointee.kept.commit) }
    state.pointee.kept.forget()
    rollBack()
  }

  /// Begins a transaction whose snapshot may be kept. Returns the version before it began; nil if no
  /// snapshot is to be kept, and then no transaction was begun.
  private func beginSnapshot() throws -> LogIndex.Version? {
    guard isReader, state.pointee.kept.isBusy(), !state.pointee.hooks.seesOwnStatements else {
      return nil
    }
    if !state.pointee.kept.isSupportKnown { findSupport() }
    guard let version = state.pointee.kept.newestVersion else { return nil }
    if state.pointee.kept.begin == nil {
      let begin = try compileOne("BEGIN DEFERRED").handle
      do {
        state.pointee.kept.store(begin: begin, commit: try compileOne("COMMIT").handle)
      } catch {
        sqlite3_finalize(begin)
        throw error
      }
    }
    try runOwn(state.pointee.kept.begin)
    return version
  }

  /// Keeps the snapshot that was just read from if it has the given version. Otherwise ends its
  /// transaction: it was kept before, and something was committed during the read.
  ///
  /// The version is that of the snapshot if it was the newest before the snapshot was taken and
  /// still is: SQLite took its snapshot in between.
  private func endSnapshot(unless version: LogIndex.Version?) throws {
    if let version, isInTransaction,
      sqlite3_txn_state(handle, "main") == SQLITE_TXN_READ,
      state.pointee.kept.newestVersion == version, !state.pointee.hooks.seesOwnStatements
    {
      state.pointee.kept.keep(version)
    } else {
      state.pointee.kept.forget()
      if isInTransaction { try runOwn(state.pointee.kept.commit) }
    }
  }

  /// Runs BEGIN or COMMIT. A cancellation or a deadline does not end them, and no observer of a
  /// reader is notified.
  private func runOwn(_ statement: OpaquePointer?) throws {
    state.pointee.transaction.willRunOwnStatement()
    defer { state.pointee.transaction.didRunOwnStatement() }
    sqlite3_step(statement)
    let code = sqlite3_reset(statement)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Finds out whether the connection can keep snapshots. It has read before.
  ///
  /// Snapshots are not kept without shared memory, nor with attached databases, whose commits the
  /// header does not show.
  private func findSupport() {
    guard sqlite3_db_name(handle, 2) == nil else { return state.pointee.kept.use(nil) }
    let index = logIndex()
    // If finding out has failed, as when memory was exhausted, the next read tries again.
    if case .unknown = state.pointee.log.index { return }
    state.pointee.kept.use(index)
  }
}

extension HookState {
  /// Whether a listener is called for the statements that the library runs by itself. Snapshots are
  /// then not kept, so that the listener sees the same statements as ever.
  fileprivate var seesOwnStatements: Bool {
    !listeners.trace.isEmpty || !listeners.authorizer.isEmpty
  }
}
