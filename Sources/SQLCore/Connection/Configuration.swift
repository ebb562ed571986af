/// How a database is opened, and what its connections may use.
///
/// The defaults are the safe ones: nothing that was acknowledged is lost in a power cut, foreign
/// keys are enforced, and a misspelt column in double quotes is an error rather than text.
/// - SeeAlso: <https://www.sqlite.org/pragma.html>
public struct Configuration: Sendable {
  /// When SQLite waits for the disk.
  ///
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_synchronous>
  public enum Synchronous: String, Sendable {
    /// Never: a power cut may damage the file.
    case off = "OFF"
    /// At checkpoints: a power cut loses the last transactions, the file stays whole.
    case normal = "NORMAL"
    /// At each commit: what was acknowledged is there after a power cut.
    case full = "FULL"
    /// At each commit, and the folder as well.
    case extra = "EXTRA"
  }

  /// How many read connections a file in WAL mode has at most, and how many more for streams of
  /// rows; they open when they are needed.
  ///
  /// With 0, reads and writes take turns on one connection, in the order in which they came.
  public var maximumReaders = 4
  /// When SQLite waits for the disk.
  public var synchronous = Synchronous.full
  /// How long a statement waits for the lock of another process or connection.
  public var busyTimeout = Duration.seconds(5)
  /// Opens for reading alone: nothing is created, migrated or written.
  public var isReadOnly = false
  /// Says that nobody writes the file while it is open: it is read without locks, and nothing is
  /// made beside it. Setting it sets `isReadOnly`, too.
  ///
  /// For a file in a folder that allows no writing, or on a read-only medium: one in WAL mode cannot
  /// be read there otherwise, since even a reader makes a `-shm` beside it. Where somebody writes
  /// all the same, what is read is wrong. A file with changes in a `-wal` or a `-journal` beside it
  /// is refused with `.cannotOpen`, since SQLite would pass over them in silence.
  /// - SeeAlso: <https://www.sqlite.org/uri.html#uriimmutable>
  public var isImmutable = false {
    didSet { if isImmutable { isReadOnly = true } }
  }
  /// Whether foreign keys are enforced.
  public var enforcesForeignKeys = true
  /// Whether views and triggers of the file may call functions that are not innocuous, and use
  /// virtual tables that are not; a trigger that feeds FTS5 needs it.
  public var trustsSchema = true
  /// How many prepared statements a connection keeps.
  public var maximumCachedStatements = 128
  /// How many bytes the prepared statements that a connection keeps may occupy.
  public var maximumCachedStatementBytes = 1 << 20
  /// The size in bytes within which the write-ahead log is kept.
  ///
  /// As it comes near, a write makes the log begin anew when it has ended, and waits up to 0.1
  /// seconds for those who still read from it; later reads are not held up. A single transaction
  /// that writes more passes the bound, and the file is cut after it. A reader that stays keeps the
  /// log growing: `onPinnedLog` tells which.
  /// - SeeAlso: <https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>
  public var maximumWALBytes = 64 << 20
  /// Who may change the schema: tables, columns, indexes, triggers and views.
  public var schemaPolicy = SchemaPolicy.automatic
  /// Whether errors hold the values that were bound: for development, and not where others read
  /// the log.
  public var showsValuesInErrors = false
  /// How many changed rows of a transaction observation keeps one by one; of more it only tells
  /// which tables changed. A row that changes twice counts twice.
  public var maximumTrackedRows = 100_000
  /// Is told when the write-ahead log is above its bound because somebody keeps reading from it:
  /// how large it is, which reads may hold it, where they were asked for, and for how long.
  ///
  /// Again each time the log has grown by a quarter. It runs on a thread of its own, beside other
  /// accesses, and may use the database.
  public var onPinnedLog: (@Sendable (PinnedLog) -> Void)?
  /// Is told of statements that go through more than `maximumScannedRows` rows of a table one by one,
  /// with the index that would spare them that: for development.
  ///
  /// ```swift
  /// configuration.onTableScan = { print($0) }
  /// // 20000 rows gone through, a scan of Post: SELECT … FROM "Post" WHERE "status" = ?
  /// //   CREATE INDEX "Post_on_status" ON "Post" ("status")
  /// ```
  ///
  /// Once for each SQL and state of the schema, when a statement has ended well, on its thread and
  /// before its access goes on; it uses no connection of the database. While it is nil, a statement
  /// costs one comparison more. Else the first report of a SQL costs some milliseconds, in which the
  /// schema is made again in memory, without rows, and SQLite is asked which index it would use
  /// there; functions and collations are registered there as well, and `prepareConnection` runs.
  public var onTableScan: (@Sendable (TableScan) -> Void)? {
    didSet { knownScans = KnownScans() }
  }
  /// How many rows of a table a statement may go through before `onTableScan` is told.
  public var maximumScannedRows = 1_000
  /// What `onTableScan` was told already.
  private(set) var knownScans = KnownScans()
  /// How long a write waits for those who read from the log before it begins anew.
  var maximumLogWait = Duration.milliseconds(100)
  /// How old a transaction that several writes share may grow; one more would make the first wait
  /// too long for its answer. Tests, which must not depend on time, set it.
  var maximumSharedTransactionAge = Duration.milliseconds(5)
  /// Runs for each new connection, last: pragmas, functions, collations.
  public var prepareConnection: (@Sendable (Connection) throws -> Void)?

  /// The defaults.
  public init() {}

  /// The defaults with `synchronous = .normal`: faster, and a power cut may lose the last
  /// transactions, though never damage the file.
  public static var relaxed: Configuration {
    var configuration = Configuration()
    configuration.synchronous = .normal
    return configuration
  }

  /// For a file that somebody else made: read alone, its schema not trusted.
  ///
  /// - SeeAlso: <https://www.sqlite.org/security.html>
  public static var untrustedFile: Configuration {
    var configuration = Configuration()
    configuration.isReadOnly = true
    configuration.trustsSchema = false
    return configuration
  }
}
