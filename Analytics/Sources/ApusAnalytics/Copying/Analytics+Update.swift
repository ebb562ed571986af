import ApusHistory
import ChangeObservation
import QueryDSL
import SQLCore

extension Analytics {
  /// Brings the copies of logged models up to date with their database.
  ///
  /// The change log says which rows have changed since the last copy or update; their present
  /// values are read in the same snapshot. So the copies show one moment of the database, however
  /// many transactions it has run since. If the log no longer has the entries since then, or has a
  /// gap, or if more than 500,000 rows of a table have changed, the table is copied again.
  ///
  /// Returns the number of rows that were read. Throws the errors of `copy`, and
  /// `AnalyticsError.notFollowed` if no copy follows a log, or if a followed table is no longer
  /// logged. Costs one read of the log, a seek for each changed row, and a deletion in DuckDB for
  /// each changed table.
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

  /// Brings the copies up to date, from asynchronous code.
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
  /// An update runs after each commit that changes a logged table, whichever program makes it;
  /// commits that happen during an update share the next one. Throws the errors of `update(from:)`.
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

  /// Replaces the copied rows with the given keys by the present rows of the database.
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

/// The changes of the copied tables, from the change log.
enum LogReading {
  /// What has changed in a table.
  enum Changes {
    /// The rows with these keys.
    case rows(Set<[DatabaseValue]>)
    /// Perhaps everything.
    case table
  }

  /// The number of changed rows above which a table is copied as a whole.
  private static let maximumCount = 500_000

  /// Reads the log after the positions of the copies. `positions` has a position for each table's
  /// name.
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
