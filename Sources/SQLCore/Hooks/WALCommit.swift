/// A commit to the write-ahead log, as `onWALCommit` reports it.
/// - SeeAlso: <https://www.sqlite.org/c3ref/wal_hook.html>
public struct WALCommit: Hashable, Sendable {
  /// The name of the attached database, `main` for the first.
  public let database: String
  /// The number of pages in the log.
  public let pageCount: Int
}
