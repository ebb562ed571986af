extension Database {
  // MARK: Vacuum

  /// Rebuilds the database file without its unused pages. SQL: `VACUUM`
  ///
  /// The call waits for earlier writes, and later writes wait for it. Rows keep their primary keys.
  /// In a table without an INTEGER PRIMARY KEY, the rowids may change. VACUUM reads and writes the
  /// whole database, and needs free space of the same size. A file in WAL mode needs twice that
  /// space, because the new pages go through the log. The log is truncated afterwards unless a
  /// reader uses it. Throws `.readOnly` if the database is read-only, and `.full` if the disk is
  /// full.
  /// - SeeAlso: <https://www.sqlite.org/lang_vacuum.html>
  public func vacuum() throws {
    try maintaining { try $0.vacuum() }
  }

  /// Rebuilds the database file without its unused pages. This is the asynchronous form. If the
  /// database is a file, VACUUM runs on the writer's thread.
  /// - SeeAlso: <https://www.sqlite.org/lang_vacuum.html>
  public func vacuum() async throws {
    try await maintaining { try $0.vacuum() }
  }

  /// Writes one snapshot of the database into a new file, without unused pages. SQL: `VACUUM INTO`
  ///
  /// The copy is smaller than that of `backup(to:)`, but takes more processor time. As in
  /// `backup(to:)`, the copy is written beside the destination, flushed to the disk, checked, and
  /// then moved to the destination in one step. If the source is damaged, the destination is
  /// unchanged.
  ///
  /// - Parameter overwriting: Whether to replace an existing file. If false, an existing file makes
  ///   this method throw `.cannotOpen`. The source and its companion files are never replaced.
  /// - SeeAlso: <https://www.sqlite.org/lang_vacuum.html#vacuuminto>
  public func vacuum(into path: String, overwriting: Bool = false) throws {
    try vacuum(into: path, overwriting: overwriting, JobCancellation())
  }

  /// Writes one snapshot into a new file. Another thread can stop the copy through `cancellation`.
  package func vacuum(
    into path: String, overwriting: Bool, _ cancellation: JobCancellation
  ) throws {
    try requireLocal("VACUUM INTO")
    let file = try replacementFile(path, overwriting: overwriting, cancellation)
    if location.isFile {
      try access.runBeside { try $0.vacuum(into: file) }
    } else {
      try writing { try $0.vacuum(into: file) }
    }
  }

  /// Writes one snapshot of the database into a new file. This is the asynchronous form. If the
  /// database is a file, the copy runs on its own thread. Cancelling the task stops the copy and
  /// leaves the destination unchanged.
  /// - SeeAlso: <https://www.sqlite.org/lang_vacuum.html#vacuuminto>
  public func vacuum(into path: String, overwriting: Bool = false) async throws {
    try requireLocal("VACUUM INTO")
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

  /// Returns the destination file for a copy of this database.
  func replacementFile(
    _ path: String, overwriting: Bool, _ cancellation: JobCancellation = JobCancellation()
  ) throws -> ReplacementFile {
    try ReplacementFile(
      path: path, overwriting: overwriting, configuration: configuration,
      cancellation: cancellation, registrations: access.registrations,
      workingFolder: location.workingFolder)
  }

  // MARK: Checkpoint

  /// Copies the content of the write-ahead log into the database file.
  ///
  /// ```swift
  /// let result = try db.checkpoint(.truncate)
  /// if result.isBusy { … }                       // a reader was in the way for too long
  /// ```
  ///
  /// SQLite runs checkpoints by itself as the log grows. Call this while the program has little to
  /// do, or before the file is copied by other means. The call first waits for earlier writes. Then
  /// the checkpoint waits for readers as long as the busy timeout allows, except in the mode
  /// `.passive`. Later writes wait for the checkpoint. Without a log, as in memory, the call does
  /// nothing and reports zero pages. Throws `.readOnly` if the database was opened read-only.
  /// - SeeAlso: <https://www.sqlite.org/wal.html#ckpt>
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode = .passive) throws -> CheckpointResult {
    try maintaining { try $0.checkpoint(mode) }
  }

  /// Copies the content of the write-ahead log into the database file. This is the asynchronous
  /// form. If the database is a file, the checkpoint runs on the writer's thread.
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_wal_checkpoint>
  @discardableResult
  public func checkpoint(_ mode: CheckpointMode = .passive) async throws -> CheckpointResult {
    try await maintaining { try $0.checkpoint(mode) }
  }
}

extension Database {
  private func maintaining<Result>(_ body: (ConnectionCore) throws -> Result) throws -> Result {
    try requireLocal("maintenance")
    try checkWritable()
    return try writing { core in
      access.pool.endKeptSnapshots()
      return try body(core)
    }
  }

  private func maintaining<Result: Sendable>(
    _ body: @escaping @Sendable (ConnectionCore) throws -> Result
  ) async throws -> Result {
    try requireLocal("maintenance")
    try checkWritable()
    return try await writing(AccessOptions()) { core in
      self.access.pool.endKeptSnapshots()
      return try body(core)
    }
  }

  private func checkWritable() throws {
    guard configuration.isReadOnly else { return }
    throw DatabaseError(
      code: .readOnly, message: "the database was opened with `Configuration.isReadOnly`")
  }
}

extension ConnectionCore {
  fileprivate func vacuum() throws {
    try run(pragma: "VACUUM")
    // In WAL mode, VACUUM has written all pages to the log, so the log is now as large as the
    // database. If a reader uses the log, the log cannot be truncated now, and keeps this size for
    // a while.
    _ = try? waiting(atMost: .zero) { try checkpoint(.truncate) }
  }

  fileprivate func vacuum(into file: ReplacementFile) throws {
    try file.cancellation.cover(self)
    // VACUUM INTO attaches the new file and writes to it. On a reader, the authorizer forbids
    // ATTACH, and `query_only` forbids writes. Lifting both restrictions is safe, because this
    // connection either has no other user or is the writer.
    let wasReader = state.pointee.authorizer.restrict(toReading: false)
    defer { state.pointee.authorizer.restrict(toReading: wasReader) }
    if isReader { try run(pragma: "PRAGMA query_only = OFF") }
    try file.replace(copying: self) { temporary in
      let name = temporary.replacing("'", with: "''")
      try run(pragma: "VACUUM INTO '\(name)'")
    }
  }
}
