/// The progress of a backup.
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
