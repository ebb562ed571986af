import QueryDSL
import SQLCore

extension Connection {
  /// Writes a plain struct into a table: inserts a row, or updates the row with the struct's `id`.
  /// In an existing row, columns that the struct does not have keep their values.
  ///
  /// ```swift
  /// struct Profile: Codable { var id: Int64; var name: String; var place: Place? }
  /// try connection.write(profile, to: "profiles")
  /// // INSERT INTO "profiles" (…) VALUES (…) ON CONFLICT ("id") DO UPDATE SET …
  /// ```
  ///
  /// Every stored property is a column, except lazy ones. A property whose type is not a
  /// `ColumnValue` is stored as JSON. The first write creates the table. If the struct later has
  /// more properties, a write adds their columns; nothing is dropped. A class works as well: its
  /// stored properties are read from the instance, and its `init(from:)` reads a row.
  ///
  /// Throws `MigrationError` if `Configuration.schemaPolicy` does not allow creating or changing
  /// the table. Throws `ModelError` if the type does not fit the table, for example because a
  /// column has another type. Throws `WriteIgnored` if SQLite ignored the row.
  public func write<Row: Codable & Sendable>(_ row: Row, to table: TableName) throws {
    try write([row], to: table)
  }

  /// Writes an array of plain structs into a table, in order. If one of them cannot be written,
  /// none is written. Throws the same errors as `write` of a single struct.
  public func write<Row: Codable & Sendable>(_ rows: [Row], to table: TableName) throws {
    try use().allOrNothing { try writeEach(rows, to: table) }
  }

  private func writeEach<Row: Codable & Sendable>(_ rows: [Row], to table: TableName) throws {
    let layout = try PlainLayout<Row>()
    try prepare(table, for: layout)
    let names = layout.fields.map(\.name)
    let others = names.filter { $0 != "id" }.map { Identifier($0).quoted }
    let action =
      others.isEmpty
      ? "NOTHING" : "UPDATE SET " + others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    for (index, row) in rows.enumerated() {
      var sql: SQL = "INSERT INTO \(identifier: table.name) (\(unsafe: names.quotedList)) VALUES ("
      for (place, value) in try layout.values(of: row).enumerated() {
        sql.append(place == 0 ? "\(value)" : ", \(value)")
      }
      try execute(sql + ") ON CONFLICT (\"id\") DO \(unsafe: action)")
      // If the struct has only a key, an existing row is left unchanged, and SQLite counts no
      // change. So a missing change shows an ignored row only if the struct has other columns.
      if try changeCount == 0, !others.isEmpty {
        throw WriteIgnored(table: table.name, row: rows.count > 1 ? index : nil)
      }
    }
  }

  /// Returns the row with the given `id` as a plain struct; nil if there is no such row. Costs two
  /// statements: one reads the columns of the table, and one finds the row with an index seek.
  ///
  /// If the table has no column for a property, the property is nil. If the property is not
  /// optional, it is zero or empty. Throws `ColumnValueError` for a value that is not valid for its
  /// property's type. Throws `ModelError` if the type does not fit the table, for example because
  /// a column has another type, or because a column is missing and the type of its property has no
  /// zero or empty value. Throws `MigrationError` if the table or a column is missing and
  /// `Configuration.schemaPolicy` does not allow creating it.
  public func find<Row: Codable & Sendable>(
    id: some ColumnValue, from table: TableName
  ) throws -> Row? {
    let layout = try PlainLayout<Row>()
    return try rows(of: layout, in: table, where: "WHERE \"id\" = \(id)").first
  }

  /// Returns all rows of a table as plain structs, in the order of their `id`.
  public func fetch<Row: Codable & Sendable>(from table: TableName) throws -> [Row] {
    try rows(of: PlainLayout<Row>(), in: table, where: "ORDER BY \"id\"")
  }

  /// Deletes the row with the given `id`. Returns false if there is no such row, or no such table.
  @discardableResult
  public func delete(id: some ColumnValue, from table: TableName) throws -> Bool {
    guard try tableExists(table.name) else { return false }
    try execute("DELETE FROM \(identifier: table.name) WHERE \"id\" = \(id)")
    return try changeCount > 0
  }

  /// Returns the rows of a table as a table of text, for people to read.
  public func table(named table: TableName) throws -> ResultTable {
    try self.table("SELECT * FROM \(identifier: table.name)")
  }

  private func rows<Row>(
    of layout: PlainLayout<Row>, in table: TableName, where condition: SQL
  ) throws -> [Row] {
    let columns = try columns(ofTable: table.name)
    guard !columns.isEmpty else {
      // If the policy forbids creating the table, reading a table that does not exist throws.
      try requirePolicy(for: table, steps: [], "the table \(table.name) does not exist")
      return []
    }
    try check(layout, against: columns, in: table)
    let terms = try layout.fields.map { field in
      if columns.contains(where: { $0.name.isSame(as: field.name) }) {
        return Identifier(field.name).quoted
      }
      try requirePolicy(for: table, steps: [], "\(table.name) has no column \(field.name)")
      guard let fallback = field.fallback else {
        throw ModelError(
          Row.self,
          "\(table.name) has no column \(field.name), and \(field.typeName) has no default value "
            + "for rows without one; make the property an optional")
      }
      return fallback.description
    }
    let select: SQL = """
      SELECT \(unsafe: terms.joined(separator: ", ")) FROM \(identifier: table.name) \(condition)
      """
    return try rows(select).map { try layout.row(of: $0.values, in: table) }
  }

  // MARK: The table

  /// Creates the table, or adds the columns that it does not have.
  private func prepare<Row>(_ table: TableName, for layout: PlainLayout<Row>) throws {
    let columns = try columns(ofTable: table.name)
    try check(layout, against: columns, in: table)
    let steps: [MigrationPlan.Step]
    if columns.isEmpty {
      steps = [
        MigrationPlan.Step(
          .createTable, table: table.name, sql: layout.createTable(table),
          reason: "it does not exist")
      ]
    } else {
      let missing = layout.fields.filter { field in
        !columns.contains { $0.name.isSame(as: field.name) }
      }
      steps = missing.map { field in
        MigrationPlan.Step(
          .addColumn(field.name), table: table.name,
          sql: "ALTER TABLE \(Identifier(table.name).quoted) ADD COLUMN \(field.sql)",
          reason: "\(Row.self) has this property")
      }
    }
    guard !steps.isEmpty else { return }
    try requirePolicy(
      for: table, steps: steps, "the table \(table.name) cannot store \(Row.self) as it is")
    for step in steps {
      if let sql = step.sql { try execute(SQL(unsafe: sql)) }
    }
  }

  /// Creates a table with the given CREATE TABLE statement. Throws `MigrationError` if
  /// `Configuration.schemaPolicy` does not allow creating the table.
  package func createTable(_ table: TableName, by sql: String) throws {
    let step = MigrationPlan.Step(
      .createTable, table: table.name, sql: sql, reason: "it does not exist")
    try requirePolicy(for: table, steps: [step], "the table \(table.name) does not exist")
    try execute(SQL(unsafe: sql))
  }

  /// Throws `MigrationError` if `Configuration.schemaPolicy` does not allow creating or changing
  /// the table.
  private func requirePolicy(
    for table: TableName, steps: [MigrationPlan.Step], _ what: String
  ) throws {
    let policy = try use().configuration.schemaPolicy
    guard policy == .validated || policy.locks(table.name) else { return }
    throw MigrationError(
      plan: MigrationPlan(steps: steps),
      reason: "\(what), and `Configuration.schemaPolicy` forbids changing the schema")
  }

  private func check<Row>(
    _ layout: PlainLayout<Row>, against columns: [TableColumn], in table: TableName
  ) throws {
    for field in layout.fields {
      guard let column = columns.first(where: { $0.name.isSame(as: field.name) }) else { continue }
      guard StorageClass(declaredType: column.declaredType) == field.storageClass else {
        let declared = column.declaredType.isEmpty ? "untyped" : column.declaredType
        throw ModelError(
          Row.self,
          "\(field.name) is \(declared) in the table \(table.name), but \(field.typeName) is "
            + "stored as \(field.storageClass.rawValue); change the type of the property")
      }
    }
    let keys = columns.filter { $0.primaryKeyPosition > 0 }
    guard columns.isEmpty || keys.count == 1 && keys[0].name.isSame(as: "id") else {
      throw ModelError(
        Row.self, "the primary key of the table \(table.name) must be the column `id`")
    }
  }
}

extension PlainLayout {
  fileprivate func createTable(_ table: TableName) -> String {
    let columns = fields.map { field in
      guard field.name == "id" else { return field.sql }
      return "\"id\" \(field.storageClass.rawValue) PRIMARY KEY NOT NULL"
    }
    return TableText(columns: columns, constraints: []).createTable(table.name)
  }
}
