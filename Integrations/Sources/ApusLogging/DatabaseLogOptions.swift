import Apus
import Logging

/// The options of `Configuration.log(to:)`: which messages it writes to the log, and at which
/// level. If a level is nil, the messages of this kind are not written.
public struct DatabaseLogOptions: Sendable {
  /// The level at which each statement is logged when it ends. The message has the SQL and the
  /// duration of the statement.
  public var statements: Logger.Level? = .debug
  /// The duration beyond which a statement is slow; nil if no statement counts as slow.
  public var slowStatements: Duration? = .milliseconds(100)
  /// The level at which a slow statement is logged.
  public var slowStatementLevel: Logger.Level? = .warning
  /// The level at which the scan of a large table is logged. The message has the indexes that would
  /// avoid the scan. This has the same costs as `Configuration.onTableScan`.
  public var scans: Logger.Level? = .notice
  /// The level at which a migration is logged, if it changed the database. The message has the
  /// migration's statements. If `showsValues` is set, it also has the migration's steps.
  public var migrations: Logger.Level? = .info
  /// The level of reports about readers that keep the write-ahead log from being reset.
  public var pinnedWAL: Logger.Level? = .warning
  /// The former name of `pinnedWAL`.
  @available(*, deprecated, renamed: "pinnedWAL")
  public var pinnedLogs: Logger.Level? {
    get { pinnedWAL }
    set { pinnedWAL = newValue }
  }
  /// Whether values are logged. If so, statements are logged with their values in place of
  /// parameters, and migrations are logged with their steps, which may contain values. Do not set
  /// this if other people can read the log.
  public var showsValues = false
}
