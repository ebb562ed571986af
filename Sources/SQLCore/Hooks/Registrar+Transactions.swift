extension Registrar {
  /// Calls `body` when a write is about to commit. If `body` throws, the transaction is rolled back
  /// instead, and the writer throws the error with the code `SQLITE_CONSTRAINT_COMMITHOOK` (531).
  ///
  /// It is called once for each `write { }` that commits, even if asynchronous writes share a
  /// transaction; outside `write`, once for each transaction. Each of them ends with a call of this
  /// listener or of `onRollback`. Both are called, this one first, only if the commit is vetoed or
  /// fails on the disk. A veto undoes all writes that share the transaction. While `body` runs, its
  /// connection runs nothing else. No hook is installed while there are no listeners.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/commit_hook.html>
  @discardableResult
  public func onCommit(_ body: @escaping @Sendable () throws -> Void) throws -> HookListener {
    try listen(\.commit, body)
  }

  /// Calls `body` when a write was rolled back, by its closure, by SQLite, or because the commit
  /// failed.
  ///
  /// It is called once for each `write { }` that is rolled back, even if other writes share its
  /// transaction and commit; outside `write`, once for each transaction. `ROLLBACK TO` a savepoint
  /// within a write is not reported. While `body` runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/commit_hook.html>
  @discardableResult
  public func onRollback(_ body: @escaping @Sendable () -> Void) throws -> HookListener {
    try listen(\.rollback, body)
  }

  /// Calls `body` after each commit in WAL mode.
  ///
  /// The listener does not change how the log is kept within its bound, nor the effect of
  /// `PRAGMA wal_autocheckpoint`, which sets the number of pages from which a commit copies the log
  /// into the file. While `body` runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
  @discardableResult
  public func onWALCommit(_ body: @escaping @Sendable (WALCommit) -> Void) throws -> HookListener {
    try listen(\.writeAheadLog, body)
  }
}
