import Apus
import Logging

/// What `Configuration.log(to:)` writes to a log, and at which level. A level of nil switches a
/// kind of message off.
public struct DatabaseLogOptions: Sendable {
  /// The level of each statement that ends, with its SQL and its duration.
  public var statements: Logger.Level? = .debug
  /// The duration beyond which a statement is slow; nil if no statement counts as slow.
  public var slowStatements: Duration? = .milliseconds(100)
  /// The level of a statement that is slow.
  public var slowStatementLevel: Logger.Level? = .warning
  /// The level of scans of large tables, with the indexes that would avoid them: see
  /// `Configuration.onTableScan`, which has the same costs.
  public var scans: Logger.Level? = .notice
  /// The level of migrations that changed a database, with their statements and, if `showsValues`
  /// is set, their steps.
  public var migrations: Logger.Level? = .info
  /// The level of reports about readers that keep the write-ahead log from being reset.
  public var pinnedWAL: Logger.Level? = .warning
  /// The former name of `pinnedWAL`.
  @available(*, deprecated, renamed: "pinnedWAL")
  public var pinnedLogs: Logger.Level? {
    get { pinnedWAL }
    set { pinnedWAL = newValue }
  }
  /// Whether statements are logged with their values, in place of parameters, and migrations with
  /// their steps, which may name values. Leave it off where others can read the log.
  public var showsValues = false
}
