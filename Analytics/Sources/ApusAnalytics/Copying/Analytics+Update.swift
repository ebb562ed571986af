import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore

extension Analytics {
  /// Brings the copies of logged models up to date with their database.
  ///
  /// The change log says which rows have changed since the last copy or update. The log and the
  /// present values of these rows are read from the same snapshot. So all updated copies have the
  /// state of the same moment, however many transactions have run since the last update.
  ///
  /// The whole table is copied again in these cases:
  ///
  /// - The log no longer has all entries since the last copy or update.
  /// - The log has a gap.
  /// - More than 500,000 rows of the table have changed.
  ///
  /// Returns the number of rows that were read. Throws the errors of `copy`. Throws
  /// `AnalyticsError.notFollowed` if no copied model is logged, or if a table was logged when it
  /// was copied, but is no longer logged. Costs one read of the log, a seek for each changed row,
  /// and a deletion in DuckDB for each changed table.
  @discardableResult
  public func update(from source: Database) throws -> Int {
    try writer.use { duck in
      let positions = try CopyRecord.positions(duck)
      guard !positions.isEmpty else {
        throw AnalyticsError.notFollowed(
          table: tables.first ?? "any table",
          reason: "no copied model declares Logged() in its schema; copy it again instead")
      }
      let tables = catalogue.tables
      let applied: Applied? = try source.read { connection in
        for name in positions.keys.sorted() {
          guard let table = tables[name], try !connection.isLogged(table) else { continue }
          throw AnalyticsError.notFollowed(
            table: table.name,
            reason: "its changes are no longer logged; declare Logged() in its schema, or copy it "
              + "again instead")
        }
        let latest = try connection.logPosition()
        let old = positions.filter { $0.value != latest }
        guard !old.isEmpty else { return nil }
        let changes = try LogReading.changes(since: old, in: connection)
        return try duck.transaction {
          try Self.apply(changes, upTo: latest, tables, from: connection, in: duck)
        }
      }
      guard let applied else { return 0 }
      catalogue.add(applied.replaced)
      return applied.count
    }
  }

  /// Brings the copies up to date. This is the asynchronous form.
  @discardableResult
  public func update(from source: Database) async throws -> Int {
    try await offloading { try self.update(from: source) }
  }

  /// Keeps the copies of logged models up to date, until the task is cancelled or the database is
  /// closed.
  ///
  /// ```swift
  /// let task = Task { try await analytics.follow(db) }
  /// ```
  /// An update runs after each commit that changes a logged table, even if another program makes
  /// the commit. If several commits are made during an update, one further update covers all of
  /// them. Throws the errors of `update(from:)`.
  public func follow(_ source: Database) async throws {
    do {
      let position = try await source.read { try $0.logPosition() }
      try await update(from: source)
      for try await _ in source.log.observe(after: position) { try await update(from: source) }
    } catch is CancellationError {
      return
    }
  }

  /// The result of an update: the number of rows that it read, and the tables that were copied again.
  private struct Applied {
    var count = 0
    var replaced: [CopiedTable] = []
  }

  private static func apply(
    _ changes: [String: LogReading.Changes], upTo position: LogPosition,
    _ tables: [String: CopiedTable], from connection: Connection, in duck: DuckConnection
  ) throws -> Applied {
    var applied = Applied()
    for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
      guard let table = tables[name] else { continue }
      switch change {
      case .rows(let keys):
        if !keys.isEmpty {
          applied.count += try replace(keys, of: table, from: connection, in: duck)
        }
        try CopyRecord(table: table, position: position).write(duck)
      case .table:
        guard let present = try CopiedTable(named: table.name, in: connection) else {
          throw AnalyticsError.notFollowed(
            table: table.name, reason: "the database no longer has the table")
        }
        applied.count += try replace([present], from: connection, in: duck)
        applied.replaced.append(present)
      }
    }
    return applied
  }

  /// Deletes the copied rows with the given keys, and appends the rows that have these keys in the
  /// database now. Returns the number of appended rows.
  private static func replace(
    _ keys: Set<[DatabaseValue]>, of table: CopiedTable, from connection: Connection,
    in duck: DuckConnection
  ) throws -> Int {
    let columns = table.key.compactMap { name in
      table.columns.first { $0.name.isSameName(as: name) }
    }
    let keyTable = "apus_keys"
    let names = columns.indices.map { "k\($0)" }
    let types = zip(names, columns).map { "\($0) \($1.kind.duckDB)" }
    try duck.run("CREATE OR REPLACE TEMP TABLE \(keyTable) (\(types.joined(separator: ", ")))")
    let appender = try duck.appender(to: keyTable)
    for key in keys {
      for value in key { try appender.append(value) }
      try appender.endRow()
    }
    try appender.close()
    let same = zip(names, columns).map { "t.\($1.name.quotedName) = k.\($0)" }
    try duck.run(
      "DELETE FROM main.\(table.name.quotedName) AS t USING \(keyTable) AS k "
        + "WHERE \(same.joined(separator: " AND "))")
    try duck.run("DROP TABLE \(keyTable)")
    let rows = try duck.appender(to: table.name)
    var count = 0
    for key in keys {
      var sql = table.selection + SQL(unsafe: " WHERE ")
      for (index, (column, value)) in zip(columns, key).enumerated() {
        if index > 0 { sql.append(" AND ") }
        sql.append("\(identifier: column.name) = \(value)")
      }
      try connection.forEach(sql) { row in
        try append(row, to: rows, table)
        count += 1
      }
    }
    try rows.close()
    return count
  }
}

/// A reader of the change log, which finds out which rows of the copied tables have changed.
enum LogReading {
  /// The changes of one table.
  enum Changes {
    /// Only the rows with these keys have changed.
    case rows(Set<[DatabaseValue]>)
    /// Perhaps everything.
    case table
  }

  /// The number of changed rows above which a table is copied as a whole.
  private static let maximumCount = 500_000

  /// Reads the log entries that follow the positions up to which the copies are current.
  /// `positions` has such a position for the name of each table. Returns the changes by the names
  /// of the tables.
  static func changes(
    since positions: [String: LogPosition], in connection: Connection
  ) throws -> [String: Changes] {
    var changes: [String: Changes] = [:]
    let groups = Dictionary(grouping: positions.keys, by: { positions[$0] })
    for (position, names) in groups {
      guard let position else { continue }
      do {
        let read = try keys(after: position, of: Set(names), in: connection)
        changes.merge(read) { $1 }
      } catch let error as LogError {
        switch error {
        case .expired, .unknownPosition: for name in names { changes[name] = .table }
        default: throw error
        }
      }
    }
    return changes
  }

  private static func keys(
    after start: LogPosition, of names: Set<String>, in connection: Connection
  ) throws -> [String: Changes] {
    var keys: [String: Set<[DatabaseValue]>] = [:]
    var whole: Set<String> = []
    for name in names { keys[name] = [] }
    var position = start
    while true {
      let entries = try connection.logEntries(after: position, limit: 500)
      guard let last = entries.last else { break }
      position = last.position
      for entry in entries {
        if let gap = entry.gap?.lowercased() { whole.insert(gap) }
        for change in entry.changes {
          let name = change.table.lowercased()
          guard names.contains(name), !whole.contains(name) else { continue }
          keys[name, default: []].insert(change.keyValues)
          if keys[name, default: []].count > maximumCount { whole.insert(name) }
        }
      }
    }
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, whole.contains($0) ? .table : .rows(keys[$0] ?? [])) })
  }
}
