/// A commit that was written to the write-ahead log, as `onWALCommit` tells it.
/// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
public struct WALCommit: Hashable, Sendable {
  /// The name of the attached database, `main` for the first.
  public let database: String
  /// How many pages are in the log.
  public let pageCount: Int
}

extension Registrar {
  /// Calls `body` when a transaction that wrote is about to commit; where it throws, the transaction
  /// is rolled back instead, and its error is thrown by whoever committed, with the code
  /// `SQLITE_CONSTRAINT_COMMITHOOK` (531).
  ///
  /// The commit may still fail afterwards. While it runs, its connection runs nothing else. Off
  /// until somebody asks; several may listen.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/commit_hook.html>
  @discardableResult
  public func onCommit(_ body: @escaping @Sendable () throws -> Void) throws -> HookListener {
    try listen(\.commit, body)
  }

  /// Calls `body` when a transaction was rolled back as a whole, on request or by SQLite.
  ///
  /// `ROLLBACK TO` a savepoint is none. While it runs, its connection runs nothing else.
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
