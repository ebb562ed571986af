import QueryDSL
import SQLCore

extension Connection {
  /// Writes the rows of a data frame into a table, and returns their number.
  ///
  /// ```swift
  /// try connection.write(frame, to: "imported")
  /// // CREATE TABLE IF NOT EXISTS "imported" ("title" TEXT, "views" INTEGER) STRICT
  /// // INSERT INTO "imported" ("title", "views") VALUES (?, ?)
  /// ```
  ///
  /// A table that does not exist is created, with the storage classes of the columns, and `ANY` for
  /// a column without a type. In an existing table, columns are found by name, and those that the
  /// frame lacks get their defaults. Each row costs one INSERT of a prepared statement. If SQLite
  /// refuses a row, throws `DatabaseError` with the row's number; outside a transaction, the rows
  /// before it stay.
  @discardableResult
  public func write(_ frame: DataFrame, to table: TableName) throws -> Int {
    let core = try use()
    guard !frame.columns.isEmpty else {
      throw DataFrameError("the frame has no columns, so it cannot be written to \(table)")
    }
    let name = Identifier(table.name).quoted
    let exists = try row(
      "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = \(table.name) COLLATE NOCASE"
    )
    if exists == nil {
      let columns = frame.columns.map { column in
        "\(Identifier(column.name).quoted) \(column.type?.storageClass.rawValue ?? "ANY")"
      }
      try execute(SQL(unsafe: "CREATE TABLE \(name) (\(columns.joined(separator: ", "))) STRICT"))
    }
    let names = frame.columnNames.map { Identifier($0).quoted }.joined(separator: ", ")
    let marks = frame.columns.map { _ in "?" }.joined(separator: ", ")
    let statement = try core.lendStatement(
      text: "INSERT INTO \(name) (\(names)) VALUES (\(marks))")
    defer { core.giveBack(statement) }
    for row in 0..<frame.rowCount {
      for (index, column) in frame.columns.enumerated() {
        try core.bind(column.values[row], to: statement, at: Int32(truncatingIfNeeded: index + 1))
      }
      do {
        try core.run(statement)
      } catch let error as DatabaseError {
        throw error.at(row: row)
      }
    }
    return frame.rowCount
  }
}

extension Database {
  /// Writes the rows of a data frame into a table, all or none of them, and returns their number.
  @discardableResult
  public func write(_ frame: DataFrame, to table: TableName) throws -> Int {
    try write { try $0.write(frame, to: table) }
  }

  /// Writes the rows of a data frame into a table, all or none of them, and returns their number.
  @discardableResult
  public func write(_ frame: DataFrame, to table: TableName) async throws -> Int {
    try await write { try $0.write(frame, to: table) }
  }
}
