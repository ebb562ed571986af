import Foundation

/// The settings with which a database is opened, and the limits of its connections.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.isReadOnly = true
/// configuration.busyTimeout = .seconds(2)
/// let db = try Database(path: "blog.sqlite", configuration: configuration)
/// ```
///
/// The defaults are the safe choices: a power cut loses no committed transaction, foreign keys are
/// enforced, and a misspelt column in double quotes is an error rather than text.
/// - SeeAlso: <https://www.sqlite.org/pragma.html>
public struct Configuration: Sendable {
  /// The moments at which SQLite waits until its writes are on the disk.
  ///
  /// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_synchronous>
  public enum Synchronous: String, Sendable {
    /// SQLite never waits for the disk. A power cut may damage the file.
    case off = "OFF"
    /// SQLite waits at checkpoints. A power cut may lose the last transactions, but does not damage
    /// the file.
    case normal = "NORMAL"
    /// SQLite waits at each commit. Committed transactions survive a power cut.
    case full = "FULL"
    /// SQLite waits at each commit. After it has deleted a rollback journal, it also waits until
    /// the deletion is on the disk.
    case extra = "EXTRA"
  }

  /// The maximum number of reader connections of a file in WAL mode. Streams of rows may use the
  /// same number of connections in addition. Connections open when they are needed.
  ///
  /// With 0, reads and writes take turns on one connection, in the order in which they were
  /// requested.
  public var maximumReaders = 4
  /// The maximum number of connections on which live queries run again, in addition to the readers.
  /// It is at least one. The default is half of the number of processors, but at most four. The
  /// connections open when they are needed.
  ///
  /// A live query that runs again after a commit uses one of these connections. The readers
  /// therefore remain free for the program's own reads. A database with a single connection, for
  /// example in memory, also runs its live queries on this connection.
  public var maximumLiveReaders = defaultLiveReaders
  /// The maximum memory, in bytes, for the rows of live queries. `db.liveStatus` estimates the
  /// memory in use. The library keeps the rows of a live query in order to update the result
  /// without running the query again. If the rows of a query do not fit, the query runs again after
  /// each commit that touches its data, until there is room.
  public var maximumLiveMemory = 256 << 20
  /// When SQLite waits until its writes are on the disk.
  public var synchronous = Synchronous.full
  /// How long a statement waits for a lock that another process or connection holds.
  public var busyTimeout = Duration.seconds(5)
  /// Whether the file is opened only for reading: nothing is created, migrated or written.
  public var isReadOnly = false
  /// Whether you guarantee that the file does not change while it is open. SQLite then reads the
  /// file without locks and creates no files beside it. Setting this to true also sets
  /// `isReadOnly`.
  ///
  /// Use this setting for a file in a folder that does not allow writing, or on a read-only medium.
  /// Without the setting, a file in WAL mode cannot be read there, because even a reader creates a
  /// `-shm` file beside the database. If another process writes the file nevertheless, reads return
  /// wrong results. Opening throws `.cannotOpen` if a `-wal` or `-journal` file beside the database
  /// holds changes, because SQLite would ignore these changes silently.
  /// - SeeAlso: <https://www.sqlite.org/uri.html#uriimmutable>
  public var isImmutable = false {
    didSet { if isImmutable { isReadOnly = true } }
  }
  /// Whether foreign keys are enforced.
  public var enforcesForeignKeys = true
  /// Whether views and triggers of the file may call any function and use any virtual table. If
  /// false, they can use only those that are declared innocuous (harmless in a foreign file).
  /// Before SQLite 3.44, this must be true for triggers that write to an FTS5 table.
  public var trustsSchema = true
  /// The maximum number of prepared statements that a connection caches.
  public var maximumCachedStatements = 128
  /// The maximum size in bytes of the prepared statements that a connection caches.
  public var maximumCachedStatementBytes = 1 << 20
  /// The size in bytes that the write-ahead log should not exceed.
  ///
  /// When a write brings the log near this size, the library restarts the log at the end of the
  /// write: the next write begins at the start of the log's file. The restart waits up to 0.1
  /// seconds for readers that still use the log; later reads are not delayed. A single transaction
  /// may make the log larger than this size. The log's file is then truncated after the
  /// transaction. While a reader keeps its snapshot, the log continues to grow, and `onPinnedWAL`
  /// reports the reader.
  /// - SeeAlso: <https://www.sqlite.org/wal.html#avoiding_excessively_large_wal_files>
  public var maximumWALBytes = 64 << 20
  /// Extensions of SQLite that every connection of the database loads, in this order, before it
  /// reads the schema. If an extension cannot be loaded, opening throws `ExtensionError`.
  ///
  /// SQL cannot load extensions: the function `load_extension` stays forbidden. With
  /// `untrustedFile`, the views of the file can use only those extension functions that are
  /// declared innocuous.
  /// - SeeAlso: <https://www.sqlite.org/loadext.html>
  public var extensions: [SQLiteExtension] = []
  /// Whether and how the schema (tables, columns, indexes, triggers and views) may be changed.
  public var schemaPolicy = SchemaPolicy.automatic
  /// Whether errors include the bound values. Use it during development. Leave it off where other
  /// people can read the logs.
  public var showsValuesInErrors = false
  /// The maximum number of row changes that observation records for one transaction. For a larger
  /// transaction, observation reports only which tables changed. A row that changes twice counts
  /// twice.
  public var maximumTrackedRows = 100_000
  /// A closure that is called when the write-ahead log exceeds `maximumWALBytes` because readers
  /// still use the log. Its argument contains the size of the log and a list of the reads that may
  /// prevent the log from being restarted. The list gives the age of each read, and the source file
  /// and line that requested it.
  ///
  /// The closure is called again each time the log has grown by a quarter. It runs on its own
  /// thread, concurrently with other accesses, and may use the database.
  public var onPinnedWAL: (@Sendable (PinnedWAL) -> Void)?
  /// The former name of `onPinnedWAL`.
  @available(*, deprecated, renamed: "onPinnedWAL")
  public var onPinnedLog: (@Sendable (PinnedWAL) -> Void)? {
    get { onPinnedWAL }
    set { onPinnedWAL = newValue }
  }
  /// A closure that is called when a statement scans more than `maximumScannedRows` rows of a
  /// table. Its argument names the index that would avoid the scan. Use it during development.
  ///
  /// ```swift
  /// configuration.onTableScan = { print($0) }
  /// // a scan of Post read 20000 rows: SELECT … FROM "Post" WHERE "status" = ?
  /// //   CREATE INDEX "Post_on_status" ON "Post" ("status")
  /// ```
  ///
  /// The closure is called once for each SQL text and version of the schema; after 10,000 texts,
  /// the library forgets which texts it has reported. The closure runs after the statement has
  /// completed successfully, on the statement's thread, before the access continues. The closure
  /// must not use the database.
  ///
  /// The first report of a SQL text costs some milliseconds. The library creates the same schema,
  /// without rows, in databases in memory, and asks SQLite which index it would use there. These
  /// databases have the same functions and collations, and `prepareConnection` runs on them, too.
  /// While the property is nil, each statement costs only one comparison.
  public var onTableScan: (@Sendable (TableScan) -> Void)? {
    didSet { knownScans = KnownScans() }
  }
  /// The number of rows of a table that a statement may scan before `onTableScan` is called.
  public var maximumScannedRows = 1_000
  /// The scans that were already reported to `onTableScan`.
  private(set) var knownScans = KnownScans()
  /// The maximum time that a write waits for readers of the log, in order to restart the log.
  var maximumLogWait = Duration.milliseconds(100)
  /// The interval of the timer that ends snapshots that are no longer used. After a read, its
  /// reader keeps the snapshot for the next read. The snapshot ends one to two intervals after its
  /// last use. Tests set another interval, because they must not depend on a clock.
  var keptSnapshotRound = Duration.milliseconds(4)
  private static let defaultLiveReaders = min(
    4, max(1, ProcessInfo.processInfo.activeProcessorCount / 2))
  /// The minimum number of extra rows that a live query with LIMIT keeps in memory beyond its
  /// limit. If a row of the result is deleted, one of the extra rows takes its place.
  package var liveReserve = 32
  /// The age from which a shared transaction accepts no more writes. Without this limit, the first
  /// write would wait too long for the commit, because more and more writes could join. Tests set
  /// another age, because they must not depend on a clock.
  var maximumSharedTransactionAge = Duration.milliseconds(5)
  /// A closure that is called when a statement ends, on every connection of the database. Its
  /// argument contains the duration of the statement and its SQL. The SQL has parameters in place
  /// of the bound values; the closure can also request the SQL with the values.
  ///
  /// ```swift
  /// configuration.onStatement = { print($0.duration ?? .zero, $0.sql ?? "") }
  /// ```
  ///
  /// The closure is called in the same way as a listener of `onTrace(.profile)`, but on each
  /// connection. The calls begin after the settings were applied to the connection, but before
  /// `prepareConnection` runs. The closure therefore also receives the library's own statements,
  /// and the statements of a migration that runs while the database is opened. It runs on the
  /// statement's thread; meanwhile its connection runs nothing else. While the property is nil,
  /// statements are not traced.
  /// - SeeAlso: <https://www.sqlite.org/c3ref/trace_v2.html>
  public var onStatement: (@Sendable (borrowing TraceEvent) -> Void)?
  /// A closure that is called after the commit of a migration that has changed the database. Its
  /// argument contains the steps and the time that they took.
  ///
  /// ```swift
  /// configuration.onMigration = { print("migrated in \($0.duration):\n\($0)") }
  /// ```
  ///
  /// It is not called for a migration that had nothing to do. It runs on the thread of the
  /// migration, and may use the database.
  public var onMigration: (@Sendable (MigrationReport) -> Void)?
  /// A closure that gives SQLite the key of an encrypted file. It runs first on each new connection
  /// to a file, before any statement. If it throws, opening the connection fails.
  ///
  /// ```swift
  /// let secret = "open sesame"
  /// configuration.unlockConnection = { try $0.setEncryptionKey(secret.utf8) }
  /// ```
  ///
  /// The closure runs for the writer, readers, streams, snapshots and live queries. It also runs
  /// for the files that `backup(to:)` and `vacuum(into:)` write, which get the same key. It does
  /// not run for a database in memory. A wrong key throws `.notADatabase` as the file is opened.
  public var unlockConnection: (@Sendable (Connection) throws -> Void)?
  /// A closure that prepares each new connection, for example with pragmas, functions and
  /// collations. It runs after the other settings have been applied. If it throws, opening the
  /// connection fails.
  public var prepareConnection: (@Sendable (Connection) throws -> Void)?

  /// Creates a configuration with the default settings.
  public init() {}

  /// The defaults with `synchronous = .normal`. Commits are faster; a power cut may lose the last
  /// transactions, but never damages the file.
  public static var relaxed: Configuration {
    var configuration = Configuration()
    configuration.synchronous = .normal
    return configuration
  }

  /// A configuration for a file from an unknown source: it is opened only for reading, and its
  /// schema is not trusted.
  ///
  /// - SeeAlso: <https://www.sqlite.org/security.html>
  public static var untrustedFile: Configuration {
    var configuration = Configuration()
    configuration.isReadOnly = true
    configuration.trustsSchema = false
    return configuration
  }
}

/// A migration that changed a database: the argument of `Configuration.onMigration`.
///
/// ```swift
/// configuration.onMigration = { report in print(report.duration, report.statements.count) }
/// ```
public struct MigrationReport: Hashable, Sendable, CustomStringConvertible {
  /// The steps that were carried out, as a migration plan prints them. If rows with forbidden
  /// values were deleted, the text may contain the beginning of such a value.
  public let description: String
  /// The statements that the steps consist of, in their order. They contain no values of rows.
  public let statements: [String]
  /// The time that the migration took, including the time for which it waited for other writers.
  public let duration: Duration

  package init(description: String, statements: [String], duration: Duration) {
    self.description = description
    self.statements = statements
    self.duration = duration
  }
}
