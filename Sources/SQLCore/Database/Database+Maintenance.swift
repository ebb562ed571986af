import CSQLite

extension Database {
  // MARK: Vacuum

  /// Builds the database anew, without the pages that nothing uses.
  ///
  /// It waits its turn as a write does, and everybody else's writes wait for it. Rows keep their
  /// keys, but for the rowid of a table that declares no INTEGER PRIMARY KEY. Costs reading and
  /// writing the whole database, and as much free space again, twice in a file in WAL mode: the
  /// new pages go through the log, which is cut afterwards unless a reader is in the way.
  /// Throws `.readOnly` where the database is, `.full` where the disk is.
  /// - SeeAlso: <https://www.sqlite.org/lang_vacuum.html>
  public func vacuum() throws {
    try maintaining { try $0.vacuum() }
  }

  /// The same from asynchronous code, on the thread of the writer.
  /// - SeeAlso: <https://www.sqlite.org/lang_vacuum.html>
  nonisolated(nonsending)
    public func vacuum() async throws
  {
    try await maintaining { try $0.vacuum() }
  }

  /// Writes one snapshot of the database into a new file, without the pages that nothing uses.
  ///
  /// `VACUUM INTO`: as `backup(to:)`, smaller, and costlier for the processor. What is said there
  /// of the destination holds here: it is written beside its place, forced to disk, checked, and
  /// put in place in one step; a damaged source replaces nothing.
  ///
  /// - Parameter overwriting: replaces the file that is there; else one that exists throws
  ///   `.cannotOpen`. The source and what belongs to it are never replaced.
  /// - SeeAlso: <https://www.sqlite.org/lang_vacuum.html#vacuuminto>
  public func vacuum(into path: String, overwriting: Bool = false) throws {
    let file = try replacementFile(path, overwriting: overwriting)
    if location.isFile {
      try access.runBeside { try $0.vacuum(into: file) }
    } else {
      try writing { try $0.vacuum(into: file) }
    }
  }

  /// The same from asynchronous code, on a thread of its own. Cancelling the task abandons it.
  /// - SeeAlso: <https://www.sqlite.org/lang_vacuum.html#vacuuminto>
  nonisolated(nonsending)
    public func vacuum(into path: String, overwriting: Bool = false) async throws
  {
    let file = try replacementFile(path, overwriting: overwriting)
    try await withTaskCancellationHandler {
      if location.isFile {
        try await access.runBeside { try $0.vacuum(into: file) }
      } else {
        try await writing(AccessOptions()) { try $0.vacuum(into: file) }
      }
    } onCancel: {
      file.cancellation.cancel()
    }
  }

  /// Where a copy of this database is to be.
  func replacementFile(_ path: String, overwriting: Bool) throws -> ReplacementFile {
    try ReplacementFile(
      path: path, overwriting: overwriting, configuration: configuration,
      workingFolder: location.workingFolder)
  }

  // MARK: Checkpoint

  /// Copies what stands in the write-ahead log into the file of the database.
  ///
  /// ```swift
  /// let result = try db.checkpoint(.truncate)
  /// if result.isBusy { … }                       // a reader was in the way for too long
  /// ```
  ///
  /// SQLite does so by itself as the log grows; one of your own is for a moment of quiet, or before
  /// the file is copied by other means. It waits its turn as a write does, and all modes but
  /// `.passive` then wait for readers, as long as the busy timeout says, while writes wait for them.
  /// Where there is no log, as in memory, it does nothing and finds zero pages.
  /// Throws `.readOnly` where the database was opened so.
  /// - SeeAlso: <https://www.sqlite.org/wal.html#ckpt>
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode = .passive) throws -> CheckpointResult {
    try maintaining { try $0.checkpoint(mode) }
  }

  /// The same from asynchronous code, on the thread of the writer.
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_wal_checkpoint>
  @discardableResult
  nonisolated(nonsending)
    public func checkpoint(_ mode: CheckpointMode = .passive) async throws -> CheckpointResult
  {
    try await maintaining { try $0.checkpoint(mode) }
  }
}

extension Database {
  private func maintaining<Result>(_ body: (ConnectionCore) throws -> Result) throws -> Result {
    try checkWritable()
    return try writing(body)
  }

  nonisolated(nonsending)
    private func maintaining<Result: Sendable>(
      _ body: @escaping @Sendable (ConnectionCore) throws -> Result
    ) async throws -> Result
  {
    try checkWritable()
    return try await writing(AccessOptions(), body)
  }

  private func checkWritable() throws {
    guard configuration.isReadOnly else { return }
    throw DatabaseError(code: .readOnly, message: "the database was opened for reading alone")
  }
}

extension ConnectionCore {
  fileprivate func vacuum() throws {
    try run(pragma: "VACUUM")
    // The log is as large as the database now; a reader that is in the way leaves it so for a while.
    _ = try? waiting(atMost: .zero) { try checkpoint(.truncate) }
  }

  fileprivate func vacuum(into file: ReplacementFile) throws {
    try file.cancellation.cover(self)
    // SQLite attaches the new file, and `query_only` forbids writing to it; no one else uses this
    // connection, or it is the writer.
    let wasReader = state.pointee.authorizer.isReader
    state.pointee.authorizer.isReader = false
    defer { state.pointee.authorizer.isReader = wasReader }
    if isReader { try run(pragma: "PRAGMA query_only = OFF") }
    try file.replace(copying: self) { temporary in
      let name = temporary.replacing("'", with: "''")
      try run(pragma: "VACUUM INTO '\(name)'")
    }
  }
}
