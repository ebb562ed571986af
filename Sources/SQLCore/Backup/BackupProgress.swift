/// How far a backup has come.
/// - SeeAlso: <https://www.sqlite.org/c3ref/backup_finish.html#sqlite3backupremaining>
public struct BackupProgress: Hashable, Sendable {
  /// How many pages the source has.
  public let pageCount: Int
  /// How many of them are not copied yet; 0 where the backup is complete.
  public let remainingPageCount: Int

  /// How many pages are copied.
  public var completedPageCount: Int { pageCount - remainingPageCount }

  /// Whether the backup is complete: verified, on disk and in its place.
  public var isComplete: Bool { remainingPageCount == 0 }
}
