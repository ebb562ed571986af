extension Database {
  /// Copies the database into a file, while others read and write it.
  ///
  /// ```swift
  /// try db.backup(to: "blog-2024-05-01.sqlite") { progress in
  ///   print(progress.completedPageCount, "of", progress.pageCount)
  /// }
  /// ```
  ///
  /// The copy is one snapshot, that of the moment when it begins: writes that come meanwhile go on,
  /// are not in it, and never make it fail or begin anew. It is written to a file beside the
  /// destination, forced to disk, checked (it opens, and `PRAGMA quick_check` finds no damage) and
  /// only then put in place, in one step: at any moment the destination is what it was or the whole
  /// copy. It is one file, in rollback-journal mode, with the permissions of the file that it
  /// replaces, else of the source.
  ///
  /// - Parameters:
  ///   - path: where the copy is to be. Nothing may be there, neither the file nor a `-wal` or
  ///     `-journal` of that name, unless `overwriting` says so.
  ///   - pagesPerStep: how many pages are copied between two calls of `progress`.
  ///   - overwriting: replaces what is there. A database that somebody has open is not replaced:
  ///     that throws `.busy`. One that is open in rollback-journal mode and idle cannot be told.
  ///   - progress: is told after each step, and once when the copy is in place. What it throws
  ///     before abandons the backup; what it throws then is ignored. It may use the database, but
  ///     for one in memory.
  ///
  /// It runs on this thread until it is done; the async twin runs on a thread of its own, and ends
  /// when its task is cancelled. A database in memory is lent to nobody else meanwhile. In WAL mode
  /// the snapshot keeps the log from being cut while the copy is made; a file in rollback-journal
  /// mode, opened by `isReadOnly`, makes its writers wait.
  ///
  /// Throws `.corrupt` where the source is damaged; `.cannotOpen` where the destination exists, is no
  /// regular file, or its folder does not exist; misuse where it is the source itself, a file that is
  /// attached to it, or one that belongs to them (`-wal`, `-shm`, `-journal`), under whatever name or
  /// link. A destination that existed is as it was then. Costs reading the database once and the copy once.
  /// - SeeAlso: <https://www.sqlite.org/backup.html>
  public func backup(
    to path: String, pagesPerStep: Int = 1_000, overwriting: Bool = false,
    progress: (BackupProgress) throws -> Void = { _ in }
  ) throws {
    let job = try FileBackup(self, to: path, pagesPerStep: pagesPerStep, overwriting: overwriting)
    if location.isFile {
      try access.runBeside { try job.run(source: $0, progress: progress) }
    } else {
      try reading { try job.run(source: $0, progress: progress) }
    }
  }

  /// The same from asynchronous code, on a thread of its own. Cancelling the task abandons it.
  /// - SeeAlso: <https://www.sqlite.org/backup.html>
  nonisolated(nonsending)
    public func backup(
      to path: String, pagesPerStep: Int = 1_000, overwriting: Bool = false,
      progress: @escaping @Sendable (BackupProgress) throws -> Void = { _ in }
    ) async throws
  {
    let job = try FileBackup(self, to: path, pagesPerStep: pagesPerStep, overwriting: overwriting)
    try await withTaskCancellationHandler {
      if location.isFile {
        try await access.runBeside { try job.run(source: $0, progress: progress) }
      } else {
        try await reading(hops: true) { try job.run(source: $0, progress: progress) }
      }
    } onCancel: {
      job.cancellation.cancel()
    }
  }

  /// Copies the database into another, whose content it replaces, in one transaction there.
  ///
  /// As `backup(to: path)`, but the copy is written through the other database's writer: its
  /// readers see what was there before until the copy is complete, and the copy from then on; what
  /// is thrown before leaves it as it was. The source is checked before anything is copied.
  ///
  /// Either may be in memory; `progress` may use neither the destination nor a source in memory.
  /// Throws `.readOnly` where the destination is read-only, or where it has another page size
  /// already, `.corrupt` where the source is damaged, `.busy` where another process writes the
  /// destination for longer than its busy timeout, misuse where both are one.
  /// Costs reading the source twice and writing it once, in a file to the log and then to the file.
  /// - SeeAlso: <https://www.sqlite.org/backup.html>
  public func backup(
    to other: Database, pagesPerStep: Int = 1_000,
    progress: (BackupProgress) throws -> Void = { _ in }
  ) throws {
    let job = try DatabaseBackup(self, to: other, pagesPerStep: pagesPerStep)
    if location.isFile {
      try access.pool.check()
      try other.writing { destination in
        try access.runBeside { try job.run(from: $0, into: destination, progress: progress) }
      }
    } else if job.takesSourceFirst {
      try reading { source in
        try other.writing { try job.run(from: source, into: $0, progress: progress) }
      }
    } else {
      try other.writing { destination in
        try reading { try job.run(from: $0, into: destination, progress: progress) }
      }
    }
  }

  /// The same from asynchronous code, on a thread of the databases. Cancelling the task abandons it.
  /// - SeeAlso: <https://www.sqlite.org/backup.html>
  nonisolated(nonsending)
    public func backup(
      to other: Database, pagesPerStep: Int = 1_000,
      progress: @escaping @Sendable (BackupProgress) throws -> Void = { _ in }
    ) async throws
  {
    let job = try DatabaseBackup(self, to: other, pagesPerStep: pagesPerStep)
    try await withTaskCancellationHandler {
      if location.isFile {
        try access.pool.check()
        try await other.writing(AccessOptions()) { destination in
          try self.access.runBeside {
            try job.run(from: $0, into: destination, progress: progress)
          }
        }
      } else if job.takesSourceFirst {
        try await reading(hops: true) { source in
          try other.writing { try job.run(from: source, into: $0, progress: progress) }
        }
      } else {
        try await other.writing(AccessOptions()) { destination in
          try self.reading { try job.run(from: $0, into: destination, progress: progress) }
        }
      }
    } onCancel: {
      job.cancellation.cancel()
    }
  }
}
