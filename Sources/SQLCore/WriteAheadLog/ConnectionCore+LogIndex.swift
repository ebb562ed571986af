import CSQLite

extension ConnectionCore {
  /// The number of commits to the write-ahead log, by any connection of any process, as the log's
  /// index counts them. It starts anywhere and wraps around: only differences mean something.
  ///
  /// Returns nil if the database has no such index in shared memory: it is in memory, or in another
  /// journal mode. It must be called in a read transaction, since only then the index is sure to be
  /// open. A commit that comes after the snapshot of that transaction is counted as well.
  ///
  /// - SeeAlso: <https://www.sqlite.org/walformat.html#the_wal_index_header>
  package func logChangeCount() throws -> UInt32? {
    // Where there is no index in shared memory, asking for it would create it.
    guard try text(ofPragma: "PRAGMA journal_mode") == "wal",
      try text(ofPragma: "PRAGMA locking_mode") == "normal"
    else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let methods = file?.pointee.pMethods, methods.pointee.iVersion >= 2,
      let map = methods.pointee.xShmMap, let barrier = methods.pointee.xShmBarrier
    else { return nil }
    var page: UnsafeMutableRawPointer?
    guard map(file, 0, Self.indexPageByteCount, 0, &page) == SQLITE_OK, let page else {
      return nil
    }
    // A connection that commits writes the second copy of the header first.
    let first = page.load(fromByteOffset: Self.changeCountOffset, as: UInt32.self)
    barrier(file)
    let second = page.load(
      fromByteOffset: Self.headerByteCount + Self.changeCountOffset, as: UInt32.self)
    return first == second ? first : nil
  }

  private static var indexPageByteCount: Int32 { 32_768 }
  private static var headerByteCount: Int { 48 }
  private static var changeCountOffset: Int { 8 }

  private func text(ofPragma pragma: String) throws -> String? {
    let statement = try lendStatement(text: pragma)
    defer { giveBack(statement) }
    guard try step(statement) else { return nil }
    return try StatementRow(statement: statement).get(String.self, at: 0)
  }

  /// The number of this connection's own commits to the write-ahead log of the main database; nil
  /// if they are not counted, because the library's log hook is not installed.
  package var loggedCommitCount: UInt32? {
    state.pointee.log.hasHook ? state.pointee.log.commitCount : nil
  }
}
