/// The progress of a backup.
///
/// ```swift
/// try db.backup(to: "copy.sqlite") { progress in
///   print(progress.completedPageCount, "of", progress.pageCount)
/// }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/backup_finish.html#sqlite3backupremaining>
public struct BackupProgress: Hashable, Sendable {
  /// The number of pages in the source.
  public let pageCount: Int
  /// The number of pages that are not copied yet; 0 when the backup is complete.
  public let remainingPageCount: Int

  /// The number of pages that are copied.
  public var completedPageCount: Int { pageCount - remainingPageCount }

  /// Whether the backup is complete: verified, on disk and in place.
  public var isComplete: Bool { remainingPageCount == 0 }
}

extension Database {
  /// Copies the database into a file, while others read and write the database.
  ///
  /// ```swift
  /// try db.backup(to: "blog-2024-05-01.sqlite") { progress in
  ///   print(progress.completedPageCount, "of", progress.pageCount)
  /// }
  /// ```
  ///
  /// The copy is a single snapshot of the moment when the backup begins. Writes during the backup
  /// continue, are not part of the copy, and never make the backup fail or start over. The copy is
  /// written to a file beside the destination, synchronised to disk, and verified: it must open,
  /// and `PRAGMA quick_check` must find no damage. Only then is it moved to the destination in one
  /// step. At any moment the destination therefore holds either its old content or the whole copy.
  /// The copy is a single file in rollback-journal mode. It gets the permissions of the file that
  /// it replaces, or else the permissions of the source.
  ///
  /// - Parameters:
  ///   - path: the path of the copy. Unless `overwriting` is true, no file may exist there, with or
  ///     without the suffix `-wal` or `-journal`.
  ///   - pagesPerStep: the number of pages that are copied between two calls of `progress`.
  ///   - overwriting: whether to replace an existing file. A database that is open elsewhere is not
  ///     replaced; `.busy` is thrown instead. This cannot be detected for a database that is open
  ///     in rollback-journal mode but idle.
  ///   - progress: called after each step, and once more when the copy is in place. An error that it
  ///     throws abandons the backup; an error of the last call is ignored. It may use this database,
  ///     unless the database is in memory.
  ///
  /// The call blocks this thread until the backup is done. The async version uses a thread of its
  /// own and stops if its task is cancelled. A database in memory cannot be used by others
  /// meanwhile. In WAL mode, the snapshot keeps the log from being reset while the copy is made;
  /// for a file in rollback-journal mode that was opened with `isReadOnly`, writers must wait.
  ///
  /// Throws `.corrupt` if the source is damaged; `.cannotOpen` if the destination exists, is not a
  /// regular file, or is in a folder that does not exist; misuse if it is the source itself, a file
  /// attached to it, or a companion of one of them (`-wal`, `-shm`, `-journal`), whatever the name
  /// or link. If an error is thrown, an existing destination is unchanged. Costs one read of the
  /// database and one of the copy.
  /// - SeeAlso: <https://www.sqlite.org/backup.html>
  public func backup(
    to path: String, pagesPerStep: Int = 1_000, overwriting: Bool = false,
    progress: (BackupProgress) throws -> Void = { _ in }
  ) throws {
    try requireLocal("a backup")
    let job = try FileBackup(self, to: path, pagesPerStep: pagesPerStep, overwriting: overwriting)
    if location.isFile {
      try access.runBeside { try job.run(source: $0, progress: progress) }
    } else {
      try reading { try job.run(source: $0, progress: progress) }
    }
  }

  /// Copies the database into a file from asynchronous code, on a thread of its own, as the
  /// synchronous `backup(to:pagesPerStep:overwriting:progress:)` does. Cancelling the task abandons
  /// the backup.
  /// - SeeAlso: <https://www.sqlite.org/backup.html>
  public func backup(
    to path: String, pagesPerStep: Int = 1_000, overwriting: Bool = false,
    progress: @escaping @Sendable (BackupProgress) throws -> Void = { _ in }
  ) async throws {
    try requireLocal("a backup")
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

  /// Copies the database into another database, replacing its content in one transaction.
  ///
  /// This works like `backup(to: path)`, but the copy is written by the other database's writer.
  /// Its readers see the old content until the copy is complete, and the copy from then on. If an
  /// error is thrown earlier, the content is unchanged. The source is checked before anything is
  /// copied.
  ///
  /// Either database may be in memory. `progress` must not use the destination. If the source is in
  /// memory, `progress` must not use the source either. Throws `.readOnly` if the destination is
  /// read-only, or if it already has a different page size; `.corrupt` if the source is damaged;
  /// `.busy` if another process writes to the destination for longer than its busy timeout; misuse
  /// if source and destination are the same database. Costs two reads of the source and one write
  /// of it; if the destination is a file, one write to the log and one to the file.
  /// - SeeAlso: <https://www.sqlite.org/backup.html>
  public func backup(
    to other: Database, pagesPerStep: Int = 1_000,
    progress: (BackupProgress) throws -> Void = { _ in }
  ) throws {
    try requireLocal("a backup")
    try other.requireLocal("a backup")
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

  /// Copies the database into another database from asynchronous code, on a thread of the
  /// databases, as the synchronous `backup(to:pagesPerStep:progress:)` does. Cancelling the task
  /// abandons the backup.
  /// - SeeAlso: <https://www.sqlite.org/backup.html>
  public func backup(
    to other: Database, pagesPerStep: Int = 1_000,
    progress: @escaping @Sendable (BackupProgress) throws -> Void = { _ in }
  ) async throws {
    try requireLocal("a backup")
    try other.requireLocal("a backup")
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
