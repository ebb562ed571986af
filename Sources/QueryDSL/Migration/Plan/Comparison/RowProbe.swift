import SQLCore

/// Asks questions about the rows of an existing table, before any step of a migration runs. All SQL
/// that it gets has the present names of columns.
struct RowProbe {
  let connection: Connection
  let names: FormerNames
  /// The SQL expression that names a row in an error: its rowid, or its key.
  let label: String

  init(of existing: ExistingTable, _ names: FormerNames, _ connection: Connection) {
    self.connection = connection
    self.names = names
    label =
      existing.rowIDName
      ?? existing.key.columns.map { names.quoted($0) }.joined(separator: " || ', ' || ")
  }

  private var table: String { names.quotedTable }

  /// Returns the number of rows that fulfil a condition. Reads the whole table.
  func count(where condition: String) throws -> Int {
    try connection.number("SELECT count(*) FROM \(table) WHERE \(condition)")
  }

  /// Returns the number of rows. Reads the whole table.
  func count() throws -> Int { try connection.count(names.table) }

  /// Returns whether a row fulfils a condition. Reads up to the first such row.
  func hasRow(where condition: String = "1") throws -> Bool {
    try connection.number("SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(condition))") != 0
  }

  /// Returns whether the table has two or more rows. Reads two rows.
  func hasSeveralRows() throws -> Bool { try hasRow(where: "1 LIMIT 1 OFFSET 1") }

  /// The storage classes of the values of a column, NULL aside.
  func valueClasses(of column: String) throws -> [StorageClass] {
    let old = names.quoted(column)
    return try connection.rows(
      SQL(unsafe: "SELECT DISTINCT typeof(\(old)) FROM \(table) WHERE \(old) IS NOT NULL")
    ).compactMap { StorageClass(rawValue: try $0.get(String.self, at: 0).uppercased()) }
  }

  /// Calls `body` with each value of a column that is not NULL, and the label of its row. The value
  /// is nil if it is a text that is not UTF-8.
  func forEachValue(
    of column: String, _ body: (_ value: DatabaseValue?, _ row: DatabaseValue) throws -> Void
  ) throws {
    let name = names.quoted(column)
    let sql = "SELECT \(label), \(name) FROM \(table) WHERE \(name) IS NOT NULL"
    try connection.forEach(SQL(unsafe: sql)) { row in
      try body(try? row.databaseValue(at: 1), row.databaseValue(at: 0))
    }
  }

  /// Describes the first row that fulfils a condition by its value in a column: `, as in row 3:
  /// 'soon'`.
  func example(of column: String, where condition: String) -> String {
    let row = try? connection.row(
      SQL(
        unsafe: "SELECT \(label), quote(\(names.quoted(column))) "
          + "FROM \(table) WHERE \(condition) LIMIT 1"))
    guard let values = row?.values, values.count == 2, case .text(let value) = values[1] else {
      return ""
    }
    return ", as in row \(values[0]): \(value.excerpt)"
  }
}
