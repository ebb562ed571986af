import CSQLite

/// A backup into another database, with its options.
struct DatabaseBackup: Sendable {
  let cancellation = JobCancellation()
  /// Whether the source is locked before the destination. Without a fixed order, two backups in
  /// opposite directions would wait for each other.
  let takesSourceFirst: Bool
  private let other: Database
  private let pagesPerStep: Int32

  init(_ source: Database, to other: Database, pagesPerStep: Int) throws {
    self.pagesPerStep = try checkedPagesPerStep(pagesPerStep)
    self.other = other
    takesSourceFirst = ObjectIdentifier(source) < ObjectIdentifier(other)
    guard source !== other else {
      throw DatabaseError.misuse(
        "the source and the destination of the backup are the same database; "
          + "give another destination")
    }
    if let first = source.realPath, let second = other.realPath {
      try CopyPlace(second, given: second).requireApart(from: [first])
    }
    guard !other.configuration.isReadOnly else {
      throw DatabaseError(
        code: .readOnly,
        message: "the destination of the backup was opened with `Configuration.isReadOnly`")
    }
  }

  func run(
    from source: ConnectionCore, into destination: ConnectionCore,
    progress: (BackupProgress) throws -> Void
  ) throws {
    try cancellation.cover(source)
    let pageCount = try source.holdingSnapshot {
      try source.requireWhole("the source")
      return try copy(from: source, into: destination, progress: progress)
    }
    // The copy is in the log. Pages that cannot be moved to the file now are moved after a later
    // commit.
    sqlite3_wal_checkpoint_v2(destination.handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    other.writeObserver.withLock { $0 }?.contentWasReplaced(on: destination)
    try? progress(BackupProgress(pageCount: pageCount, remainingPageCount: 0))
  }

  private func copy(
    from source: ConnectionCore, into destination: ConnectionCore,
    progress: (BackupProgress) throws -> Void
  ) throws -> Int {
    do {
      return try BackupCopy(
        source: source.handle, destination: destination.handle, pagesPerStep: pagesPerStep,
        cancellation: cancellation
      ).run(progress)
    } catch var error as DatabaseError where error.code.primary == .readOnly {
      error.message +=
        " (the source has another page size than the destination, which is already in use and "
        + "cannot change its page size)"
      throw error
    }
  }
}
