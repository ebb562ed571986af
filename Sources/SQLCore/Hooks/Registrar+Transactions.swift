import CSQLite

/// A commit that was written to the write-ahead log, as `onWALCommit` tells it.
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
  /// The log is moved into the file as before, when it reaches the pages of
  /// `PRAGMA wal_autocheckpoint`; setting that PRAGMA later takes the place of the listeners.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
  @discardableResult
  public func onWALCommit(_ body: @escaping @Sendable (WALCommit) -> Void) throws -> HookListener {
    try listen(\.writeAheadLog, body)
  }
}

extension ConnectionCore {
  /// SQLite's automatic checkpoint lives in the same slot: while somebody listens, it is done here.
  func installWALHook(_ isWanted: Bool) {
    if isWanted {
      state.pointee.checkpointPages = (try? integer(ofPragma: "wal_autocheckpoint")) ?? 1_000
      sqlite3_wal_hook(handle, didCommitToLog, UnsafeMutableRawPointer(state))
    } else {
      sqlite3_wal_autocheckpoint(handle, Int32(clamping: state.pointee.checkpointPages))
    }
  }

  /// The number that a PRAGMA gives, read without the cache.
  private func integer(ofPragma name: String) throws -> Int {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, "PRAGMA \(name)", -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    return sqlite3_step(statement) == SQLITE_ROW ? Int(sqlite3_column_int64(statement, 0)) : 0
  }
}

private func didCommitToLog(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?, database: UnsafePointer<CChar>?,
  pageCount: Int32
) -> Int32 {
  guard let state = context?.assumingMemoryBound(to: ConnectionState.self), let database else {
    return SQLITE_OK
  }
  let commit = WALCommit(database: String(cString: database), pageCount: Int(pageCount))
  state.callingOut { $0.writeAheadLog.forEachBody { $0(commit) } }
  let limit = state.pointee.checkpointPages
  if limit > 0, Int(pageCount) >= limit {
    // As SQLite's own hook: whether it succeeds is no matter of the commit.
    sqlite3_wal_checkpoint_v2(handle, database, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
  }
  return SQLITE_OK
}
