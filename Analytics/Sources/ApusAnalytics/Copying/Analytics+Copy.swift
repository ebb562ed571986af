import ApusHistory
import QueryDSL
import SQLCore
import SchemaMigration

extension Analytics {
  /// Copies the tables of models. All tables are read from one snapshot of their database. If a
  /// table was copied before, the new copy replaces the old one.
  ///
  /// ```swift
  /// try analytics.copy(Order.self, Customer.self, from: db)
  /// ```
  /// Queries of other threads see the old copies until the new ones are complete. The copy of a
  /// model with `Logged()` records its position in the change log, from which `update(from:)`
  /// continues.
  ///
  /// Returns the number of rows. Reads each table once, and needs little memory. Throws one of
  /// these errors, after which the old copies remain:
  ///
  /// - `AnalyticsError.value`, with table, column and key, for a value that is not of its column's
  ///   declared type, and for a text that is not UTF-8 or contains U+0000
  /// - `AnalyticsError.columnWithoutType` for a column that may have values of several types
  /// - `AnalyticsError.unsupported` for a column whose collation is a function in Swift
  /// - `AnalyticsError.notFollowed` if the database lacks a table
  @discardableResult
  public func copy(_ models: any TableModel.Type..., from source: Database) throws -> Int {
    try copy(models, from: source)
  }

  /// Copies the tables of models. This is the asynchronous form.
  @discardableResult
  public func copy(_ models: any TableModel.Type..., from source: Database) async throws -> Int {
    try await offloading { try self.copy(models, from: source) }
  }

  private func copy(_ models: [any TableModel.Type], from source: Database) throws -> Int {
    let names = try models.map { try Self.tableName(of: $0) }
    return try writer.use { duck in
      let (tables, count) = try source.read { connection in
        let tables = try names.map { name in
          guard let table = try CopiedTable(named: name, in: connection) else {
            throw AnalyticsError.notFollowed(
              table: name, reason: "the database has no such table")
          }
          return table
        }
        let count = try duck.transaction { try Self.replace(tables, from: connection, in: duck) }
        return (tables, count)
      }
      catalogue.add(tables)
      return count
    }
  }

  /// Copies the rows of a query into the table of a model. The query must select the model's
  /// columns, in the same order. If the table was copied before, the new copy replaces the old one.
  ///
  /// ```swift
  /// try analytics.copy(Order.where { $0.$year >= 2020 }, as: Order.self, from: db)
  /// ```
  /// The model need not be one of the models of `source`. The copy does not follow the change log.
  /// To bring it up to date, call this method again. Throws the errors of `copy(_:from:)`, and
  /// `AnalyticsError.notFollowed` if the query and the model differ in the number of columns.
  @discardableResult
  public func copy<M: Model>(
    _ query: some Fetchable, as model: M.Type, from source: Database
  ) throws -> Int {
    let name = try Self.tableName(of: model)
    let scratch = try Database.inMemory(models: [model])
    guard let table = try scratch.read({ try CopiedTable(named: name, in: $0) }) else {
      throw AnalyticsError.notFollowed(table: name, reason: "the model has no table")
    }
    let sql = try query.sql
    return try writer.use { duck in
      let count = try source.read { connection in
        try duck.transaction {
          try Self.create(table, in: duck)
          try CopyRecord(table: table, position: nil).write(duck)
          return try Self.append(sql, to: table, from: connection, in: duck)
        }
      }
      catalogue.add([table])
      return count
    }
  }

  /// Copies the rows of a query into the table of a model. This is the asynchronous form.
  @discardableResult
  public func copy<M: Model>(
    _ query: some Fetchable, as model: M.Type, from source: Database
  ) async throws -> Int {
    try await offloading { try self.copy(query, as: model, from: source) }
  }

  static func tableName<M: TableModel>(of model: M.Type) throws -> String {
    let sql: SQL = "\(model)"
    guard let token = try SQLiteTokens(sql.text).tokens.last else {
      throw AnalyticsError.notFollowed(table: "\(model)", reason: "the model has no table")
    }
    return token.text
  }

  // MARK: Writing

  /// Copies tables, replacing the copies that exist, and records the position in the change log at
  /// which the tables were read. Returns the number of copied rows.
  static func replace(
    _ tables: [CopiedTable], from connection: Connection, in duck: DuckConnection
  ) throws -> Int {
    let position = try? connection.logPosition()
    var count = 0
    for table in tables {
      try create(table, in: duck)
      let isLogged = try connection.isLogged(table)
      try CopyRecord(table: table, position: isLogged ? position : nil).write(duck)
      count += try append(table.selection, to: table, from: connection, in: duck)
    }
    return count
  }

  private static func create(_ table: CopiedTable, in duck: DuckConnection) throws {
    let columns = table.columns.map { "\($0.name.quotedName) \($0.kind.duckDB)" }
    try duck.run(
      "CREATE OR REPLACE TABLE main.\(table.name.quotedName) (\(columns.joined(separator: ", ")))")
  }

  /// Runs a query on SQLite, and appends its rows to a copied table.
  static func append(
    _ sql: SQL, to table: CopiedTable, from connection: Connection, in duck: DuckConnection
  ) throws -> Int {
    let appender = try duck.appender(to: table.name)
    var count = 0
    try connection.forEach(sql) { row in
      try append(row, to: appender, table)
      count += 1
    }
    try appender.close()
    return count
  }

  static func append(
    _ row: borrowing StatementRow, to appender: DuckAppender, _ table: CopiedTable
  ) throws {
    guard row.count == table.columns.count else {
      throw AnalyticsError.notFollowed(
        table: table.name,
        reason: "the query has \(row.count) columns, and the model \(table.columns.count)")
    }
    for index in table.columns.indices {
      do {
        try appender.append(try row.databaseValue(at: index), as: table.columns[index].kind)
      } catch let failure as CopyFailure {
        let key = table.key.compactMap { name in
          table.columns.firstIndex { $0.name == name }
        }
        let values = try key.map { "\(try row.databaseValue(at: $0))" }
        throw AnalyticsError.value(
          table: table.name, column: table.columns[index].name,
          row: values.joined(separator: ", "), reason: failure.reason)
      }
    }
    try appender.endRow()
  }
}

extension CopiedTable {
  /// A query of SQLite that selects all rows of the table, with all copied columns.
  var selection: SQL {
    SQL(unsafe: "SELECT \(columns.map(\.name.quotedName).joined(separator: ", ")) FROM ")
      + SQL(unsafe: name.quotedName)
  }
}

extension Connection {
  /// Returns whether the change log records the changes of a table. This is so if the table has the
  /// triggers of the change log.
  func isLogged(_ table: CopiedTable) throws -> Bool {
    try row(
      """
      SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = \(table.name) COLLATE NOCASE
      AND sql LIKE '%/* Apus log */%'
      """) != nil
  }
}
