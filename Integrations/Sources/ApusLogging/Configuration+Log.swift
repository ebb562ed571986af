import Apus
@_exported import Logging

extension Configuration {
  /// Writes to a log what databases with this configuration do: statements with their duration,
  /// slow statements, scans of large tables, migrations, and readers that keep the write-ahead log
  /// from being reset.
  ///
  /// ```swift
  /// var configuration = Configuration()
  /// configuration.log(to: Logger(label: "blog.db")) { $0.slowStatements = .milliseconds(20) }
  /// let db = try Database(path: "blog.sqlite", models: [Post.self], configuration: configuration)
  /// ```
  ///
  /// The messages have the SQL with parameters in place of its values. Values are not logged unless
  /// `showsValues` is set. Closures that were already set on this configuration are still called.
  /// With this setting, SQLite measures each statement, unless `statements` and `slowStatements`
  /// are both nil. A message is not even made if the logger does not log its level.
  public mutating func log(
    to logger: Logger, _ change: (inout DatabaseLogOptions) -> Void = { _ in }
  ) {
    var options = DatabaseLogOptions()
    change(&options)
    logStatements(to: logger, options)
    if let level = options.migrations {
      let showsValues = options.showsValues
      onMigration = onMigration.followed { report in
        var metadata: Logger.Metadata = [
          "duration_ms": report.duration.milliseconds,
          "statements": .array(report.statements.map { .string($0) }),
        ]
        // The steps may contain a value of a row that the migration has deleted.
        if showsValues { metadata["steps"] = "\(report.description)" }
        logger.log(level: level, "migrated the database", metadata: metadata)
      }
    }
    if let level = options.scans {
      onTableScan = onTableScan.followed { scan in
        logger.log(
          level: level, "a statement scanned a large table",
          metadata: [
            "sql": "\(scan.sql)", "tables": "\(scan.tables.joined(separator: ", "))",
            "rows": "\(scan.rowCount)",
            "missing_indexes": .array(scan.indexes.map { .string($0.sql) }),
          ])
      }
    }
    if let level = options.pinnedWAL {
      onPinnedWAL = onPinnedWAL.followed { log in
        logger.log(
          level: level, "readers keep the write-ahead log from being reset",
          metadata: [
            "bytes": "\(log.byteCount)",
            "readers": .array(log.readers.map { .string($0.description) }),
          ])
      }
    }
  }

  private mutating func logStatements(to logger: Logger, _ options: DatabaseLogOptions) {
    guard options.statements != nil || options.slowStatements != nil else { return }
    let earlier = onStatement
    onStatement = { event in
      earlier?(event)
      guard let duration = event.duration else { return }
      let isSlow = options.slowStatements.map { duration > $0 } ?? false
      guard let level = isSlow ? options.slowStatementLevel : options.statements,
        logger.logLevel <= level,
        let sql = options.showsValues ? event.expandedSQL : event.sql
      else { return }
      logger.log(
        level: level, isSlow ? "a statement was slow" : "a statement ended",
        metadata: ["sql": "\(sql)", "duration_ms": duration.milliseconds])
    }
  }
}

extension Optional {
  /// Returns a closure that calls the wrapped closure, if there is one, and then `next`.
  fileprivate func followed<Value>(
    _ next: @escaping @Sendable (Value) -> Void
  ) -> @Sendable (Value) -> Void where Wrapped == @Sendable (Value) -> Void {
    guard let self else { return next }
    return { value in
      self(value)
      next(value)
    }
  }
}

extension Duration {
  /// The milliseconds, with three digits after the point.
  fileprivate var milliseconds: Logger.MetadataValue {
    let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    let rest = String(microseconds % 1_000)
    return "\(microseconds / 1_000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }
}
