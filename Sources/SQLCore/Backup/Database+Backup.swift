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

  /// Whether the backup is complete. If so, the copy is verified, stored on the disk, and in its
  /// place.
  public var isComplete: Bool { remainingPageCount == 0 }
}

extension Database {
  /// Copies the database into a file, while other accesses read and write the database.
  ///
  /// ```swift
  /// try db.backup(to: "blog-2024-05-01.sqlite") { progress in
  ///   print(progress.completedPageCount, "of", progress.pageCount)
  /// }
  /// ```
  ///
  /// The copy is a snapshot of the moment when the backup begins. Writes continue during the
  /// backup. They are not part of the copy, and never make the backup fail or start over.
  ///
  /// The copy is written to a file beside the destination, synchronised to disk, and verified: it
  /// must open, and `PRAGMA quick_check` must find no damage. Only then is the copy moved to the
  /// destination in one step. Therefore, the destination always holds either its old content or the
  /// whole copy. The copy is a single file in rollback-journal mode. If the copy replaces a file,
  /// it gets the permissions of that file. Otherwise it gets the permissions of the source, as far
  /// as the umask of the process allows.
  ///
  /// - Parameters:
  ///   - path: the path of the copy. Unless `overwriting` is true, no file may exist at this path,
  ///     or at this path with the suffix `-wal` or `-journal`.
  ///   - pagesPerStep: the number of pages that are copied between two calls of `progress`.
  ///   - overwriting: whether to replace an existing file. If the file is a database that is open
  ///     elsewhere, `.busy` is thrown and the file is not replaced. A database that is open in
  ///     rollback-journal mode but idle is not recognised as open.
  ///   - progress: called after each step except the last, and when the copy is in place. If it
  ///     throws, the backup is abandoned. However, an error of the last call is ignored, because
  ///     the copy is already in place. The closure may use this database, unless the database is
  ///     in memory.
  ///
  /// The call blocks this thread until the backup is done. The async version uses another thread
  /// and stops if its task is cancelled. While a database in memory is copied, no other access can
  /// use the database. In WAL mode, the snapshot keeps the log from being reset while the copy is
  /// made. If a file in rollback-journal mode was opened with `isReadOnly`, its writers must wait
  /// until the copy is made.
  ///
  /// Throws `.corrupt` if the source is damaged. Throws `.cannotOpen` if the destination is not a
  /// regular file, is in a folder that does not exist, or exists although `overwriting` is false.
  /// Throws `.misuse` if the destination is the source, a file attached to the source, or a
  /// companion (`-wal`, `-shm`, `-journal`) of one of these files, even if `path` is another name
  /// or a link. If an error is thrown, an existing destination is unchanged. Costs one read of the
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

  /// Copies the database into a file. This is the asynchronous form of
  /// `backup(to:pagesPerStep:overwriting:progress:)`. If the database is a file, the backup runs on
  /// its own thread. If the database is in memory, the backup runs on a thread of the database.
  /// Cancelling the task abandons the backup.
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
  /// This works like `backup(to: path)`, but the writer of the other database writes the copy.
  /// Readers of the other database see its old content until the copy is complete. From then on,
  /// they see the copy. If an error is thrown before the copy is complete, the old content is
  /// unchanged. The source is checked before anything is copied.
  ///
  /// Either database may be in memory. `progress` must not use the destination. If the source is in
  /// memory, `progress` must not use the source either. Throws `.readOnly` if the destination is
  /// read-only, or if it already has a different page size. Throws `.corrupt` if the source is
  /// damaged. Throws `.busy` if another process writes to the destination for longer than the busy
  /// timeout of the destination. Throws `.misuse` if source and destination are the same database.
  /// Costs two reads of the source and one write of the copy. If the destination is a file, the
  /// copy is written twice, to the log and to the file.
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

  /// Copies the database into another database. This is the asynchronous form of
  /// `backup(to:pagesPerStep:progress:)`. If the destination is a file, the copy is made on a
  /// thread of the source or of the destination. Cancelling the task abandons the backup.
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
