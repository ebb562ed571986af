import QueryDSL
import SQLCore

/// The current state of a table to which changes are applied.
final class AppliedTable {
  let name: String
  /// The names of the columns that a statement can write: all except generated columns.
  let columns: [String]
  let keys: [String]
  fileprivate let generated: [String]
  /// The columns that the triggers of the change log record.
  fileprivate let logged: [String]
  /// Whether the table is logged. Transactions of other databases change only such tables.
  var isLogged: Bool { !logged.isEmpty }
  // When a transaction is applied, the same few statements run for thousands of rows. So the texts
  // of these statements are made only once.
  private let selection: String
  private let deletion: String
  private let keyCondition: String
  private var insertions: [[Int]: String] = [:]
  private var updates: [[Int]: String] = [:]

  /// Reads the table's columns; nil if there is no such table.
  init?(named name: String, on connection: Connection) throws {
    let found = try connection.columns(ofTable: name, in: "main")
    guard !found.isEmpty else { return nil }
    self.name = name
    columns = found.filter { $0.generation == .none }.map(\.name)
    generated = found.filter { $0.generation.rawValue > 1 }.map(\.name)
    logged = try ExistingSchema.logged(name, on: connection)
    keys = found.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }.map(\.name)
    // A temporary table of the same name would hide the table.
    let table = "main." + Identifier(name).quoted
    keyCondition = Self.condition(keys)
    selection =
      "SELECT \(columns.map { Identifier($0).quoted }.joined(separator: ", ")) FROM \(table)"
    deletion = "DELETE FROM \(table)"
  }

  /// Returns the position of a column among `columns`.
  func index(of column: String) -> Int? { columns.firstIndex { $0.isSame(as: column) } }

  /// Returns the columns to which a change gives another value, except generated columns.
  func changedColumns(of change: AnyLogChange) -> [String] {
    change.changedColumns.filter { name in !generated.contains { $0.isSame(as: name) } }
  }

  // MARK: Rows

  /// Returns the current row with the key of a change; nil if there is no such row.
  func row(of change: AnyLogChange, on connection: Connection) throws -> AppliedRow? {
    try row(with: key(of: change), on: connection)
  }

  /// Returns the first row that has the given values in the given columns; otherwise nil.
  func row(with values: [AppliedValue], on connection: Connection) throws -> AppliedRow? {
    try row(Self.condition(values.map(\.column)), values.map(\.value), on: connection)
  }

  /// Returns the row with the given primary key; nil if there is no such row. `key` has the values
  /// in the order of the table's key columns.
  func row(withKey key: [DatabaseValue], on connection: Connection) throws -> AppliedRow? {
    try row(keyCondition, key, on: connection)
  }

  private func row(
    _ condition: String, _ values: [DatabaseValue], on connection: Connection
  ) throws -> AppliedRow? {
    var row: AppliedRow?
    try connection.forEach(SQL(unsafe: selection + condition, values: values)) { found in
      guard row == nil else { return }
      row = AppliedRow(
        table: self, values: try columns.indices.map { try found.databaseValue(at: $0) })
    }
    return row
  }

  func delete(withKey key: [DatabaseValue], on connection: Connection) throws {
    try connection.execute(SQL(unsafe: deletion + keyCondition, values: key))
  }

  /// Returns the rows that have the given values in the given columns.
  func rows(with values: [AppliedValue], on connection: Connection) throws -> [AppliedRow] {
    let condition = Self.condition(values.map(\.column))
    let sql = SQL(unsafe: selection + condition, values: values.map(\.value))
    var rows: [AppliedRow] = []
    try connection.forEach(sql) { found in
      rows.append(
        AppliedRow(
          table: self, values: try columns.indices.map { try found.databaseValue(at: $0) }))
    }
    return rows
  }

  /// Sets the given columns of one row, which is found by its key. `places` has the positions of
  /// these columns in `columns`.
  func update(
    _ key: [DatabaseValue], _ places: [Int], to values: [DatabaseValue], on connection: Connection
  ) throws {
    let sql = updates[places] ?? update(places)
    updates[places] = sql
    try connection.execute(SQL(unsafe: sql, values: values + key))
  }

  /// Inserts one or more rows. `places` has the positions in `columns` of the columns that get
  /// values. `values` has the values of the first row, then of the second, and so on.
  func insert(_ places: [Int], _ values: [BoundValue], on connection: Connection) throws {
    let count = values.count / max(places.count, 1)
    let key = places + [count]
    let sql = insertions[key] ?? insertion(of: count, places)
    insertions[key] = sql
    try connection.execute(SQL(text: sql, bindings: values))
  }

  private func update(_ places: [Int]) -> String {
    let assignments = places.map { "\(Identifier(columns[$0]).quoted) = ?" }
    return "UPDATE OR ABORT main.\(Identifier(name).quoted) SET "
      + "\(assignments.joined(separator: ", "))\(keyCondition)"
  }

  private func insertion(of count: Int, _ places: [Int]) -> String {
    let names = places.map { Identifier(columns[$0]).quoted }.joined(separator: ", ")
    let values = places.map { _ in "?" }.joined(separator: ", ")
    let rows = repeatElement("(\(values))", count: count).joined(separator: ", ")
    return "INSERT OR ABORT INTO main.\(Identifier(name).quoted) (\(names)) VALUES \(rows)"
  }

  private func key(of change: AnyLogChange) -> [AppliedValue] {
    zip(change.shape.keyNames, change.keyValues).map { AppliedValue(column: $0, value: $1) }
  }

  private static func condition(_ columns: [String]) -> String {
    " WHERE " + columns.map { "\(Identifier($0).quoted) = ?" }.joined(separator: " AND ")
  }
}

/// A mapping from the columns of logged changes (a `LogShape`) to the columns of the table to which
/// the changes are applied. It is made once for all changes with the same shape.
final class AppliedShape {
  let shape: LogShape
  let table: AppliedTable
  /// For each of `shape.columns`, its position in `table.columns`; nil if the table does not have
  /// the column.
  let places: [Int?]
  /// The columns that a change can write, as positions in `shape.columns`: all except generated
  /// columns.
  private let written: [Int]
  /// The columns that a change can write, as positions in `table.columns`.
  let writtenPlaces: [Int]
  /// For each column of the table's primary key, the position of its value in the `keyValues` of a
  /// change. Nil if the table and the shape have different keys.
  private let keyOrder: [Int]?
  /// Whether the key of the shape has its columns in the same order as the key of the table.
  private let hasKeyInOrder: Bool
  /// Whether the table has all columns of the shape, and the same primary key as the shape.
  private let isWhole: Bool
  /// The columns of the table that the triggers of the change log do not record. Another program
  /// has added them; a migration of this library would have changed the triggers as well. If a
  /// deleted row is restored, its former values in these columns are not known.
  private let unknown: [String]

  init(_ shape: LogShape, in table: AppliedTable) {
    self.shape = shape
    self.table = table
    places = shape.columns.map { table.index(of: $0) }
    written = shape.columns.indices.filter { index in
      !table.generated.contains { $0.isSame(as: shape.columns[index]) }
    }
    writtenPlaces = written.compactMap { [places] in places[$0] }
    let names = shape.keyNames
    let order = table.keys.compactMap { key in names.firstIndex { $0.isSame(as: key) } }
    keyOrder =
      !table.keys.isEmpty && order.count == table.keys.count && names.count == order.count
      ? order : nil
    hasKeyInOrder = keyOrder == Array(order.indices)
    isWhole = keyOrder != nil && !places.contains(nil)
    unknown = table.columns.filter { name in
      shape.index(of: name) == nil && !table.logged.contains { $0.isSame(as: name) }
    }
  }

  /// Returns the reason why a change cannot be applied to the table; nil if it can be applied.
  func objection(to change: AnyLogChange) -> ChangeConflict.Reason? {
    guard change.uncertain.isEmpty else { return .uncertain(change.uncertainColumns) }
    if !isWhole {
      let missing = (changed(by: change) + shape.key).filter { places[$0] == nil }
      guard missing.isEmpty, keyOrder != nil else {
        return .schemaChanged(missing: names(missing))
      }
    }
    if change.keyValues.contains(where: \.isNull) { return .incompleteKey }
    guard !unknown.isEmpty, change.kind == .inserted, change.isInverse, change.isFromLog else {
      return nil
    }
    return .notLogged(unknown)
  }

  /// Returns the columns to which a change gives a value, as positions in `shape.columns`. For an
  /// update, these are the changed columns.
  func changed(by change: AnyLogChange) -> [Int] {
    change.kind == .updated ? written.filter { change.hasChanged(at: $0) } : written
  }

  /// Returns the new values of a change in some columns, and the positions of these columns in
  /// `table.columns`. `columns` has positions in `shape.columns`. Columns that have no new value,
  /// or that the table lacks, are left out.
  func newValues(of change: AnyLogChange, in columns: [Int]) -> ([Int], [DatabaseValue]) {
    var (found, values): ([Int], [DatabaseValue]) = ([], [])
    values.reserveCapacity(columns.count)
    for index in columns where places[index] != nil {
      if let value = change.newValues[index] { values.append(value) }
    }
    // Usually a row is inserted with all of its columns, whose positions are known.
    if values.count == writtenPlaces.count { return (writtenPlaces, values) }
    for index in columns where change.newValues[index] != nil {
      if let place = places[index] { found.append(place) }
    }
    return (found, values)
  }

  /// Appends the values of the row that a change inserts, one for each of `writtenPlaces`. Returns
  /// false, and appends nothing, if the change lacks a value or the table lacks a column.
  func appendRow(of change: AnyLogChange, to values: inout [BoundValue]) -> Bool {
    guard writtenPlaces.count == written.count else { return false }
    let count = values.count
    for index in written {
      guard let value = change.newValues[index] else {
        values.removeLast(values.count - count)
        return false
      }
      values.append(.value(value))
    }
    return true
  }

  func names(_ columns: [Int]) -> [String] { columns.map { shape.columns[$0] } }

  /// Returns the key of the changed row, with its values in the order of the table's key.
  func key(of change: AnyLogChange) -> [DatabaseValue] {
    hasKeyInOrder
      ? change.keyValues : keyOrder.map { $0.map { change.keyValues[$0] } } ?? []
  }

  /// Returns the value that a row has in the column `shape.columns[index]`; nil if the table lacks
  /// the column.
  func value(at index: Int, of row: AppliedRow) -> DatabaseValue? {
    places[index].map { row.values[$0] }
  }
}

/// A value for a column.
struct AppliedValue {
  let column: String
  let value: DatabaseValue
}

/// The values of a row, in the order of the columns of its table.
struct AppliedRow {
  let table: AppliedTable
  var values: [DatabaseValue]

  subscript(column: String) -> DatabaseValue? { table.index(of: column).map { values[$0] } }

  /// The values of the row. The keys are column names in lower case.
  var named: [String: DatabaseValue] {
    Dictionary(zip(table.columns.map(\.lowercasedASCII), values)) { first, _ in first }
  }
}

extension Model {
  /// The name of the model's table. Throws `ModelError` if the model is invalid, or if it is a
  /// view, because a view stores no rows.
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

/// Temporary copies of the triggers with which the library maintains the change log and the
/// full-text indexes of some tables.
///
/// While changes are applied, the triggers of the database are switched off, because the changes
/// already include the effects of the user's triggers. Temporary triggers still fire.
/// - SeeAlso: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
struct OwnTriggers {
  private var triggers: [(name: String, sql: String)] = []

  /// Creates the copies for some tables. The caller has opened a transaction.
  init(of tables: Set<String>, on connection: Connection) throws {
    let schema = try ExistingSchema(of: connection)
    let indexes = schema.searchIndexes
    let command = "CREATE TRIGGER "
    for trigger in schema.entries where trigger.kind == .trigger {
      guard tables.contains(trigger.table.lowercasedASCII), let sql = trigger.sql,
        sql.hasPrefix(command),
        trigger.isLogTrigger || indexes.contains(where: { $0.owns(trigger) })
      else { continue }
      var text = String(sql.dropFirst(command.count))
      let table = Identifier(trigger.table).quoted
      if let place = text.firstRange(of: " ON \(table)") {
        // A temporary table of the same name would hide the table.
        text.replaceSubrange(place, with: " ON main.\(table)")
      }
      triggers.append((trigger.name, "CREATE TEMP TRIGGER " + text))
    }
    try create(on: connection)
  }

  /// Creates the copies again after they were dropped.
  func create(on connection: Connection) throws {
    for trigger in triggers { try connection.execute(SQL(unsafe: trigger.sql)) }
  }

  /// Drops the copies. The caller does this before the transaction ends.
  func drop(on connection: Connection) throws {
    for trigger in triggers {
      try connection.execute("DROP TRIGGER temp.\(identifier: trigger.name)")
    }
  }
}
