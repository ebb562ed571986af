/// A commit that was written to the write-ahead log, as `onWALCommit` tells it.
/// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
public struct WALCommit: Hashable, Sendable {
  /// The name of the attached database, `main` for the first.
  public let database: String
  /// How many pages are in the log.
  public let pageCount: Int
}

extension Registrar {
  /// Calls `body` when a write is about to commit; if it throws, the transaction is rolled back
  /// instead, and the writer throws its error with the code `SQLITE_CONSTRAINT_COMMITHOOK` (531).
  ///
  /// It is called once for each `write { }` that commits, also where asynchronous writes share a
  /// transaction; outside `write`, once for each transaction. Each of them ends with this call or
  /// with that of `onRollback`. Only a commit that is vetoed, or fails on the disk, is reported here
  /// first and to `onRollback` afterwards; a veto undoes all writes that share the transaction.
  /// While it runs, its connection runs nothing else. Without listeners there is no hook.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/commit_hook.html>
  @discardableResult
  public func onCommit(_ body: @escaping @Sendable () throws -> Void) throws -> HookListener {
    try listen(\.commit, body)
  }

  /// Calls `body` when a write was rolled back, by its closure, by SQLite, or because the commit
  /// failed.
  ///
  /// It is called once for each `write { }` that is rolled back, also where others share its
  /// transaction and commit; outside `write`, once for each transaction. `ROLLBACK TO` a savepoint
  /// within a write is not reported. While it runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/commit_hook.html>
  @discardableResult
  public func onRollback(_ body: @escaping @Sendable () -> Void) throws -> HookListener {
    try listen(\.rollback, body)
  }

  /// Calls `body` after each commit in WAL mode.
  ///
  /// The log is kept within its bound as before, and `PRAGMA wal_autocheckpoint` says from how many
  /// pages on a commit copies it into the file. While `body` runs, its connection runs nothing else.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
  @discardableResult
  public func onWALCommit(_ body: @escaping @Sendable (WALCommit) -> Void) throws -> HookListener {
    try listen(\.writeAheadLog, body)
  }
}
