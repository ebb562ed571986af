import CSQLite

/// Whether a connection uses an index of the write-ahead log, as far as that was found out.
enum LogIndexSupport {
  /// The connection has not begun to read yet, or nothing has asked for the index.
  case unknown
  /// The connection uses no log in shared memory: it is in memory, has exclusive locking, is
  /// immutable, is in another journal mode, or has its database elsewhere.
  case none
  case log(LogIndex)

  /// The index, if it is known and used.
  var index: LogIndex? {
    if case .log(let index) = self { index } else { nil }
  }
}

extension ConnectionCore {
  /// Returns the index of the log; nil if the connection does not use one in shared memory.
  ///
  /// The connection must have read before, so that it uses the log by now if there is one. On a
  /// reader the first call finds the index, and later ones return it: a reader that uses the log
  /// keeps the file in WAL mode, so the index stays where it is until the reader closes.
  func logIndex() -> LogIndex? {
    guard isReader else { return findLogIndex().index }
    if case .unknown = state.pointee.log.index { state.pointee.log.use(findLogIndex()) }
    return state.pointee.log.index.index
  }

  /// Where there is no index in shared memory, asking for it would create it.
  private func findLogIndex() -> LogIndexSupport {
    if configuration.isImmutable || isRemote { return .none }
    guard let mode = try? text(pragma: "PRAGMA journal_mode"),
      let locking = try? text(pragma: "PRAGMA locking_mode")
    else { return .unknown }
    guard mode == "wal", locking == "normal", let index = LogIndex(of: handle) else { return .none }
    return .log(index)
  }

  private func text(pragma text: String) throws -> String? {
    let statement = try compileOne(text).handle
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { return nil }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }

  /// The number of commits to the write-ahead log, by any connection of any process, as the log's
  /// index counts them. It starts anywhere and wraps around: only differences mean something.
  ///
  /// Nil if the database has no such index in shared memory, or while a commit changes it. It must be
  /// read in a read transaction, since only then the index is sure to be open. A commit that comes
  /// after the snapshot of that transaction is counted as well.
  ///
  /// - SeeAlso: <https://www.sqlite.org/walformat.html#the_wal_index_header>
  package var logChangeCount: UInt32? { logIndex()?.version?.header.commitCount }

  /// The number of this connection's own commits to the write-ahead log of the main database; nil
  /// if they are not counted, because the library's log hook is not installed.
  package var loggedCommitCount: UInt32? {
    state.pointee.log.hasHook ? state.pointee.log.commitCount : nil
  }
}
