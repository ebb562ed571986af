import QueryDSL
import SQLCore

/// A table to which changes are applied, as it is now.
struct AppliedTable {
  let name: String
  /// The names of the columns that store what is written: all but the generated ones.
  let columns: [String]
  let keys: [String]
  private let generated: [String]
  /// The columns that triggers log.
  private let logged: [String]

  /// Reads the table's columns; nil if there is no such table.
  init?(named name: String, on connection: Connection) throws {
    let rows = try connection.fetch(
      (String, Int, Int).self,
      "SELECT name, pk, hidden FROM pragma_table_xinfo(\(name), 'main')")
    guard !rows.isEmpty else { return nil }
    self.name = name
    columns = rows.filter { $0.2 == 0 }.map(\.0)
    generated = rows.filter { $0.2 > 1 }.map(\.0)
    logged = try ExistingSchema.logged(name, on: connection)
    keys = rows.filter { $0.1 > 0 }.sorted { $0.1 < $1.1 }.map(\.0)
  }

  /// Returns why a change cannot be applied to the table; nil if it can.
  func objection(to change: AnyLogChange) -> ChangeConflict.Reason? {
    let shape = change.shape
    guard change.uncertainColumns.isEmpty else { return .uncertain(change.uncertainColumns) }
    let needed = changedColumns(of: change) + shape.keyNames
    let missing = needed.filter { name in !columns.contains { $0.isSame(as: name) } }
    let isSameKey =
      !keys.isEmpty && keys.count == shape.key.count
      && shape.keyNames.allSatisfy { name in keys.contains { $0.isSame(as: name) } }
    if !missing.isEmpty || !isSameKey { return .schemaChanged(missing: missing) }
    if change.keyValues.contains(where: \.isNull) { return .incompleteKey }
    let unknown = unknownColumns(of: change)
    return unknown.isEmpty ? nil : .notLogged(unknown)
  }

  /// Returns the columns in which a restored row may have had values that the log does not have:
  /// another program added them while the triggers did not know them. A migration that adds columns
  /// changes the triggers as well.
  private func unknownColumns(of change: AnyLogChange) -> [String] {
    guard change.kind == .inserted, change.isInverse, change.isFromLog else { return [] }
    return columns.filter { name in
      change.shape.index(of: name) == nil && !logged.contains { $0.isSame(as: name) }
    }
  }

  /// Returns the columns that a change writes: those that differ, without the generated ones.
  func changedColumns(of change: AnyLogChange) -> [String] {
    change.changedColumns.filter { name in !generated.contains { $0.isSame(as: name) } }
  }

  // MARK: Rows

  /// Returns the row of a change; nil if it does not exist.
  func row(of change: AnyLogChange, on connection: Connection) throws -> AppliedRow? {
    try row(with: key(of: change), on: connection)
  }

  /// Returns a row that has some values, or nil.
  func row(with values: [AppliedValue], on connection: Connection) throws -> AppliedRow? {
    let list = columns.map { Identifier($0).quoted }.joined(separator: ", ")
    let sql: SQL = "SELECT \(unsafe: list) FROM \(identifier: name)" + condition(values)
    var row: AppliedRow?
    try connection.forEach(sql) { found in
      guard row == nil else { return }
      let values = try columns.indices.map { try found.databaseValue(at: $0) }
      row = AppliedRow(
        Dictionary(zip(columns.map(\.lowercasedASCII), values)) { first, _ in first })
    }
    return row
  }

  func delete(_ change: AnyLogChange, on connection: Connection) throws {
    try delete(with: key(of: change), on: connection)
  }

  /// Deletes the rows that have some values.
  func delete(with values: [AppliedValue], on connection: Connection) throws {
    try connection.execute("DELETE FROM \(identifier: name)" + condition(values))
  }

  func update(
    _ change: AnyLogChange, to values: [AppliedValue], on connection: Connection
  ) throws {
    var sql: SQL = "UPDATE OR ABORT \(identifier: name) SET "
    for (index, value) in values.enumerated() {
      if index > 0 { sql.append(", ") }
      sql.append("\(identifier: value.column) = \(value.value)")
    }
    sql.append(condition(key(of: change)))
    try connection.execute(sql)
  }

  func insert(_ values: [AppliedValue], on connection: Connection) throws {
    let names = values.map { Identifier($0.column).quoted }.joined(separator: ", ")
    var sql: SQL = "INSERT OR ABORT INTO \(identifier: name) (\(unsafe: names)) VALUES ("
    for (index, value) in values.enumerated() {
      sql.append(index > 0 ? ", \(value.value)" : "\(value.value)")
    }
    sql.append(")")
    try connection.execute(sql)
  }

  func key(of change: AnyLogChange) -> [AppliedValue] {
    zip(change.shape.keyNames, change.keyValues).map { AppliedValue(column: $0, value: $1) }
  }

  private func condition(_ values: [AppliedValue]) -> SQL {
    var sql: SQL = ""
    for (index, value) in values.enumerated() {
      sql.append(index == 0 ? " WHERE " : " AND ")
      sql.append("\(identifier: value.column) = \(value.value)")
    }
    return sql
  }
}

/// A value for a column.
struct AppliedValue {
  let column: String
  let value: DatabaseValue
}

/// The values of a row by the names of its columns, folded.
struct AppliedRow {
  private(set) var values: [String: DatabaseValue]

  init(_ values: [String: DatabaseValue]) { self.values = values }

  subscript(column: String) -> DatabaseValue? { values[column.lowercasedASCII] }

  mutating func set(_ value: AppliedValue) { values[value.column.lowercasedASCII] = value.value }
}

extension Model {
  /// The name of the model's table. Throws `ModelError` if the model is a view, which has no rows
  /// of its own, or cannot be a model.
  static var storedTableName: String {
    get throws {
      let layout = try layout
      guard !layout.isView else {
        throw ModelError(Self.self, "a history needs a table, and this model is a view")
      }
      return layout.tableName
    }
  }
}

/// Temporary copies of the triggers by which the library keeps the change log and the full-text
/// indexes of some tables.
///
/// While changes are applied, the triggers of the database are switched off, because what the
/// user's triggers did is among the changes. Temporary triggers fire all the same.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
struct OwnTriggers {
  private var triggers: [(name: String, sql: String)] = []

  /// Creates the copies, in the transaction that is open.
  init(of tables: Set<String>, on connection: Connection) throws {
    let schema = try ExistingSchema(of: connection)
    let indexes = schema.searchIndexes
    let command = "CREATE TRIGGER "
    for trigger in schema.entries where trigger.kind == .trigger {
      guard tables.contains(trigger.table.lowercasedASCII), let sql = trigger.sql,
        sql.hasPrefix(command),
        trigger.isLogTrigger || indexes.contains(where: { $0.owns(trigger) })
      else { continue }
      triggers.append((trigger.name, "CREATE TEMP TRIGGER " + sql.dropFirst(command.count)))
    }
    try create(on: connection)
  }

  /// Creates the copies again after they were dropped.
  func create(on connection: Connection) throws {
    for trigger in triggers { try connection.execute(SQL(unsafe: trigger.sql)) }
  }

  /// Drops the copies, before the transaction ends.
  func drop(on connection: Connection) throws {
    for trigger in triggers {
      try connection.execute("DROP TRIGGER temp.\(identifier: trigger.name)")
    }
  }
}
