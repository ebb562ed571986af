import QueryDSL
import SQLCore

/// The replacement of a table. The new table is created under a temporary name, filled from the old
/// table, and renamed after the old table is dropped.
///
/// - SeeAlso: <https://www.sqlite.org/lang_altertable.html#otheralter>
struct TableRebuild {
  /// A column of the new table and the SQL expression for its value.
  struct Source {
    let column: String
    let sql: String
    /// Whether the value is copied from the old column unchanged.
    let isSame: Bool
    /// Whether the new value must be NULL in the same rows as the value of the old column, and in
    /// no other row.
    var keepsNull = false
  }

  let table: String
  let temporaryName: String
  /// CREATE TABLE under the temporary name.
  let createTable: String
  let sources: [Source]
  /// A name of the rowid that is valid in both tables. Nil if either table has no rowid, or if a
  /// key column of the new table is the rowid.
  let rowID: String?
  /// A name of the rowid that is valid in the old table.
  let oldRowID: String?
  /// The columns of the key, which identify a row in both tables if `rowID` is nil; empty if the
  /// migration changes the key.
  let key: [String]

  /// `INSERT OR ABORT INTO … SELECT …` without a WHERE clause. OR ABORT overrides the ON CONFLICT
  /// clauses of the table, so that no row is skipped or replaced.
  var copy: String {
    let names = (rowID.map { [$0] } ?? []) + sources.map { Identifier($0.column).quoted }
    let values = (rowID.map { [$0] } ?? []) + sources.map(\.sql)
    return
      "INSERT OR ABORT INTO \(Identifier(temporaryName).quoted) (\(names.joined(separator: ", ")))\n"
      + "SELECT \(values.joined(separator: ", ")) FROM \(Identifier(table).quoted)"
  }

  var dropTable: String { "DROP TABLE \(Identifier(table).quoted)" }

  var renameTable: String {
    "ALTER TABLE \(Identifier(temporaryName).quoted) RENAME TO \(Identifier(table).quoted)"
  }

  /// All statements, in the form that a plan prints.
  var sql: String {
    [createTable, copy, dropTable, renameTable].joined(separator: ";\n")
  }
}

extension TableRebuild {
  /// Creates the rebuild that changes an existing table into the declared one.
  ///
  /// - Parameter sources: the SQL for the values that the rebuild changes or adds. The keys are
  ///   column names in lower case.
  init(of table: TableComparison, sources given: [String: Source]) throws {
    let (declared, existing) = (table.declared, table.existing)
    let isWithoutRowID = declared.isWithoutRowID ?? existing.isWithoutRowID
    let temporaryName = table.schema.freeName(forRebuilding: declared.name)
    let createTable = RebuiltDefinition(of: table, isWithoutRowID: isWithoutRowID)
      .createTable(temporaryName)
    // The SQL of the new definition is parsed again. So the columns and the key of `new` are those
    // that SQLite will read from the SQL.
    let new = try TableParser.parse(createTable)
    var sources = declared.columns.filter { $0.generated == nil }.map { column -> Source in
      let found = existing.column(column.name)
      return given[column.name.lowercasedASCII]
        ?? Source(
          column: column.name, sql: Identifier(found?.name ?? column.name).quoted,
          isSame: found != nil, keepsNull: found != nil)
    }
    sources += existing.columns.filter { table.isKept($0) && $0.generated == nil }.map {
      Source(column: $0.name, sql: Identifier($0.name).quoted, isSame: true, keepsNull: true)
    }
    let hasRowID = !existing.isWithoutRowID && !isWithoutRowID
    let rowID = TableColumn.freeRowIDNames {
      existing.column($0) != nil || new.column($0) != nil
    }.first
    // If the new key is the rowid, the column of the key is copied, so the rowid is not copied
    // separately.
    let isCopied = hasRowID && !new.hasRowIDKey
    let isSameKey =
      existing.key.columns.map(\.lowercasedASCII) == declared.keyNames.map(\.lowercasedASCII)
      && sources.filter { declared.isKey($0.column) }.allSatisfy(\.isSame)
    self.init(
      table: existing.name, temporaryName: temporaryName, createTable: createTable,
      sources: sources, rowID: isCopied ? rowID : nil, oldRowID: existing.rowIDName,
      key: isSameKey ? declared.keyNames : [])
  }
}

extension RebuiltDefinition {
  fileprivate init(of table: TableComparison, isWithoutRowID: Bool) {
    self.init(
      declared: table.declared, existing: table.existing, isWithoutRowID: isWithoutRowID,
      isMadeByApus: table.isMadeByApus,
      tableNames: [table.existing.name.lowercasedASCII, table.names.table.lowercasedASCII],
      isKept: table.isKept,
      // A generated column always gets its declared type, because its values are not examined.
      keepsType: { found, column in
        column.generated == nil && (try? table.keepsType(of: found, as: column)) == true
      }, removes: table.declared.removes,
      fates: table.existing.constraints.map(table.fate), existingKey: table.constraint(for:),
      existingCheck: table.constraint(for:))
  }
}

extension ExistingSchema {
  fileprivate func freeName(forRebuilding table: String) -> String {
    var name = "apus_new_\(table)"
    while entry(name) != nil { name += "_" }
    return name
  }
}

extension TableRebuild {
  /// Throws if the new table lacks a row, if a copied value differs, or if a value that SQL
  /// converted became NULL.
  func check(in connection: Connection) throws {
    let old = Identifier(table).quoted
    let new = Identifier(temporaryName).quoted
    let count = try connection.number("SELECT count(*) FROM \(old)")
    let copied = try connection.number("SELECT count(*) FROM \(new)")
    guard copied == count else {
      throw MigrationError(
        plan: MigrationPlan(),
        reason: "only \(copied) of the \(count) rows of \(table) would remain")
    }
    try checkNulls(in: connection)
    guard let isSameRow else { return }
    let values = sources.filter(\.isSame).map { source in
      "old.\(source.sql) COLLATE BINARY IS new.\(Identifier(source.column).quoted)"
    }
    let equal = try connection.number(
      "SELECT count(*) FROM \(old) AS old JOIN \(new) AS new ON \(isSameRow) WHERE "
        + (values.isEmpty ? "1" : values[...].conjunction))
    guard equal == count else {
      throw MigrationError(
        plan: MigrationPlan(),
        reason: "\(count - equal) of the \(count) rows of \(table) would change")
    }
  }

  /// Throws if a value became NULL in a column without a declared conversion.
  private func checkNulls(in connection: Connection) throws {
    let columns = sources.filter(\.keepsNull).map(\.column)
    guard !columns.isEmpty else { return }
    let counts = columns.map { "count(\(Identifier($0).quoted))" }.joined(separator: ", ")
    func values(in table: String) throws -> [DatabaseValue] {
      let sql = "SELECT \(counts) FROM \(Identifier(table).quoted)"
      return try connection.row(SQL(unsafe: sql))?.values ?? []
    }
    let (old, new) = (try values(in: table), try values(in: temporaryName))
    for (index, column) in columns.enumerated() where old[index] != new[index] {
      throw MigrationError(
        plan: MigrationPlan(),
        reason: "only \(new[index]) of the \(old[index]) values of \(table).\(column) would remain")
    }
  }

  /// The SQL condition that matches a row of the old table with its copy; nil if nothing identifies
  /// the row.
  private var isSameRow: String? {
    if let rowID, let oldRowID { return "old.\(oldRowID) = new.\(rowID)" }
    guard !key.isEmpty else { return nil }
    return key.map { name in
      let column = Identifier(name).quoted
      return "old.\(column) IS new.\(column)"
    }.joined(separator: " AND ")
  }
}

extension ArraySlice<String> {
  /// The conditions joined by AND, as a balanced tree, because SQLite allows an expression depth of
  /// at most 1,000.
  fileprivate var conjunction: String {
    guard count > 8 else { return joined(separator: " AND ") }
    let middle = startIndex + count / 2
    return "(\(self[..<middle].conjunction)) AND (\(self[middle...].conjunction))"
  }
}

/// The objects that are lost when a table is dropped: its indexes and triggers, also temporary
/// ones, its AUTOINCREMENT counter, and the rows that ANALYZE wrote into `sqlite_stat1` and
/// `sqlite_stat4`.
struct AttachedObjects {
  private let table: String
  /// The SQL of the indexes and triggers, as in the schema.
  let definitions: [String]
  private let sequence: Int64?
  private let statistics: [(table: String, values: [DatabaseValue])]

  init(of table: String, in connection: Connection) throws {
    self.table = table
    let lasting = try connection.rows(
      """
      SELECT sql FROM sqlite_schema WHERE tbl_name = \(table) COLLATE NOCASE AND sql IS NOT NULL
        AND type IN ('index', 'trigger') ORDER BY type, rowid
      """)
    // SQLite stores the SQL of a temporary trigger without TEMP, so the query adds the word again.
    let temporary = try connection.rows(
      """
      SELECT 'CREATE TEMP' || substr(sql, 7) FROM temp.sqlite_schema
        WHERE tbl_name = \(table) COLLATE NOCASE AND type = 'trigger' ORDER BY rowid
      """)
    definitions = try (lasting + temporary).map { try $0.get(at: 0) }
    func exists(_ name: String) throws -> Bool { try connection.tableExists(name) }
    sequence =
      try exists("sqlite_sequence")
      ? connection.row("SELECT seq FROM sqlite_sequence WHERE name = \(table)")?.get(at: 0) : nil
    statistics = try ["sqlite_stat1", "sqlite_stat4"].filter(exists).flatMap { name in
      try connection.rows("SELECT * FROM \(unsafe: name) WHERE tbl = \(table)").map {
        (name, $0.values)
      }
    }
  }

  func restoreRows(in connection: Connection) throws {
    if let sequence, try connection.tableExists("sqlite_sequence") {
      try connection.execute("DELETE FROM sqlite_sequence WHERE name = \(table)")
      try connection.execute(
        "INSERT INTO sqlite_sequence (name, seq) VALUES (\(table), \(sequence))")
    }
    for (name, values) in statistics {
      let places = Array(repeating: "?", count: values.count).joined(separator: ", ")
      let insert = try connection.prepare(SQL(unsafe: "INSERT INTO \(name) VALUES (\(places))"))
      try insert.bind(values)
      try insert.run()
    }
  }
}
