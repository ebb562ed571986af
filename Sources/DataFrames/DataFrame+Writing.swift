import QueryDSL
import SQLCore
import SchemaMigration

extension Connection {
  /// Writes all rows of a data frame into a table, or none. Returns the number of rows that were
  /// added to the table.
  ///
  /// ```swift
  /// try connection.write(frame, to: "imported")
  /// // CREATE TABLE "imported" ("title" TEXT, "views" INTEGER) STRICT
  /// // INSERT INTO main."imported" ("title", "views") VALUES (?, ?)
  /// ```
  ///
  /// If the table does not exist, it is created with the storage classes of the columns. A column
  /// without a type becomes `ANY`. In an existing table, columns are found by name, and columns
  /// that the frame lacks get their defaults. In a column of numbers, a text that looks like a
  /// number becomes a number, as in SQLite. Throws `DataFrameError` with the row if digits would be
  /// lost, and also if the frame has no columns. If SQLite refuses a row, throws `DatabaseError`
  /// with the row's number. If `Configuration.schemaPolicy` does not allow creating the table,
  /// throws `MigrationError`.
  ///
  /// Each row costs one INSERT of a prepared statement. SQLite may ignore rows, because of a
  /// trigger or a constraint with ON CONFLICT IGNORE; such rows are not counted. If `table` is a
  /// view, all rows of the frame are counted, because SQLite does not count what the view's
  /// triggers write.
  @discardableResult
  public func write(_ frame: DataFrame, to table: TableName) throws -> Int {
    let core = try use()
    return try core.allOrNothing { try writeEach(frame, to: table, on: core) }
  }

  private func writeEach(
    _ frame: DataFrame, to table: TableName, on core: ConnectionCore
  ) throws -> Int {
    guard !frame.columns.isEmpty else {
      throw DataFrameError("the frame has no columns, so it cannot be written to \(table)")
    }
    let name = Identifier(table.name).quoted
    let existing = try row(
      "SELECT type, strict FROM pragma_table_list(\(table.name)) WHERE schema = 'main'")
    let kind = try existing?.get(String.self, at: 0)
    let isStrict = try existing?.get(Bool.self, at: 1) ?? false
    // The columns of views and virtual tables have no affinity, so values for them are not
    // converted.
    let declared = kind == "table" ? try columns(ofTable: table.name, in: "main") : []
    let targets = frame.columns.map { column in declared.first { $0.name.isSame(as: column.name) } }
    if existing == nil {
      let columns = frame.columns.map { column in
        "\(Identifier(column.name).quoted) \(column.type?.storageClass.rawValue ?? "ANY")"
      }
      try createTable(
        table, by: "CREATE TABLE \(name) (\(columns.joined(separator: ", "))) STRICT")
    }
    let names = frame.columnNames.map { Identifier($0).quoted }.joined(separator: ", ")
    let marks = frame.columns.map { _ in "?" }.joined(separator: ", ")
    // If the statement did not name the schema `main`, a temporary table with the same name would
    // get the rows.
    let statement = try core.lendStatement(
      text: "INSERT INTO main.\(name) (\(names)) VALUES (\(marks))")
    defer { core.giveBack(statement) }
    var count = 0
    for row in 0..<frame.rowCount {
      do {
        for (index, column) in frame.columns.enumerated() {
          var value = column.values[row]
          if let target = targets[index] {
            value = try target.exactValue(of: value, isStrict: isStrict)
          }
          try core.bind(value, to: statement, at: Int32(truncatingIfNeeded: index + 1))
        }
        try core.run(statement)
      } catch let error as DatabaseError {
        throw error.at(row: row)
      } catch let error as DataFrameError {
        throw DataFrameError("row \(row): \(error.message)")
      }
      count += core.changeCount
    }
    // SQLite does not count the rows that the triggers of a view wrote.
    return kind == "view" ? frame.rowCount : count
  }
}

extension Database {
  /// Writes the rows of a data frame into a table, in a transaction of its own; see
  /// `Connection.write`.
  @discardableResult
  public func write(_ frame: DataFrame, to table: TableName) throws -> Int {
    try writeData { try $0.write(frame, to: table) }
  }

  /// Writes the rows of a data frame into a table, in a transaction of its own; see
  /// `Connection.write`.
  @discardableResult
  public func write(_ frame: DataFrame, to table: TableName) async throws -> Int {
    try await writeData { try $0.write(frame, to: table) }
  }
}
