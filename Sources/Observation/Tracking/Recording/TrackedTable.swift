import SQLCore

/// A table whose changes are recorded: its recorded columns, its key, and how the pre-update hook
/// numbers the columns.
///
/// VIRTUAL generated columns are not recorded, because the hook does not have their values.
final class TrackedTable: Sendable {
  struct RecordedColumn: Sendable {
    let name: String
    let place: ColumnPlace
    /// Whether the column has REAL affinity. The hook reports whole numbers of such a column as
    /// integers.
    let isReal: Bool
    /// Whether the hook may report NULL in place of the column's default, for a row that was
    /// inserted before ALTER TABLE added the column.
    let mayBeMissing: Bool
  }

  let name: QualifiedTableName
  let names: TableNames
  /// The text of the CREATE TABLE statement.
  let definition: String
  let hasRowID: Bool
  /// A name by which SQL can read the rowid: the name of the key's column if this column is the
  /// rowid, or else a name such as `_rowid_` that no column has.
  let rowIDName: String
  /// Whether the rowid identifies the rows.
  let isKeyedByRowID: Bool
  let recorded: [RecordedColumn]
  let recordedCount: Int
  /// Whether the table has any generated columns, STORED or VIRTUAL.
  let hasCalculatedColumns: Bool
  let recordedIndices: HookIndices
  /// The numbers that the hook uses for the key's columns; empty if the key is the rowid.
  let keyIndices: HookIndices

  /// Reads the table's declaration. Returns nil if there is no such table.
  ///
  /// - Parameter columns: the names of the columns to record, in lower case; nil for all columns.
  init?(named name: QualifiedTableName, recording columns: Set<String>?, on connection: Connection)
    throws
  {
    guard
      let declaredName = try connection.declaredName(of: name),
      let entry = try connection.row(
        """
        SELECT sql FROM \(identifier: name.schema).sqlite_schema
        WHERE type = 'table' AND name = \(declaredName)
        """)
    else { return nil }
    let declared = try connection.columns(of: name)
    guard !declared.isEmpty else { return nil }
    self.name = name
    definition = try entry.get(String.self, at: 0)
    let stored = declared.filter { $0.generation != .virtual && $0.generation != .hidden }
    let keys = declared.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
    let isRowIDKey = try connection.hasRowIDKey(table: name, keys: keys)
    hasRowID = try connection.hasRowID(table: name)
    func place(of column: TableColumn) -> ColumnPlace {
      ColumnPlace(
        declared: declared.firstIndex { $0.name == column.name } ?? 0,
        stored: stored.firstIndex { $0.name == column.name } ?? 0)
    }
    let columnNames = Set(declared.map(\.name.lowercasedASCII))
    rowIDName =
      isRowIDKey
      ? keys[0].name : TableColumn.freeRowIDNames(besides: columnNames.contains).first ?? "rowid"
    func record(_ column: TableColumn) -> RecordedColumn {
      RecordedColumn(
        name: column.name, place: place(of: column),
        isReal: Self.hasRealAffinity(column.declaredType),
        mayBeMissing: column.defaultText != nil && column.generation == .none)
    }
    isKeyedByRowID = keys.isEmpty || isRowIDKey
    hasCalculatedColumns = declared.contains { $0.generation != .none }
    let known = stored.filter { column in
      column.primaryKeyPosition > 0 || columns?.contains(column.name.lowercasedASCII) ?? true
    }
    recorded = known.filter { $0.primaryKeyPosition == 0 }.map(record)
    recordedCount = recorded.count
    recordedIndices = HookIndices(of: recorded, hasRowID: hasRowID)
    keyIndices = HookIndices(of: isKeyedByRowID ? [] : keys.map(record), hasRowID: hasRowID)
    names = TableNames(
      declaredName, keys: keys.map(\.name), columns: recorded.map(\.name),
      ordered: known.map(\.name), keyCount: isKeyedByRowID ? nil : keys.count)
  }

  deinit {
    recordedIndices.free()
    keyIndices.free()
  }

  /// - SeeAlso: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
  private static func hasRealAffinity(_ type: String) -> Bool {
    let type = type.lowercasedASCII
    guard !["int", "char", "clob", "text", "blob"].contains(where: type.contains) else {
      return false
    }
    return ["real", "floa", "doub"].contains(where: type.contains)
  }
}

extension Connection {
  func columns(of table: QualifiedTableName) throws -> [TableColumn] {
    try columns(ofTable: table.name, in: table.schema)
  }

  /// Makes SQLite read the schema again if another connection changed it. This is needed because
  /// compiling a statement does not check for such changes, and `pragma_table_xinfo` reports the
  /// schema that the connection remembers.
  func refreshSchema(_ schema: String = "main") throws {
    _ = try row("SELECT 1 FROM \(identifier: schema).sqlite_schema LIMIT 1")
  }

  /// Returns the declared name of a table; nil if there is no such table.
  ///
  /// SQLite compares the names, because it gets the name as the argument of `pragma_table_list`. A
  /// comparison with the SQL function `lower` could call a function of the program.
  func declaredName(of table: QualifiedTableName) throws -> String? {
    try entry(of: table)?.get(String.self, named: "name")
  }

  /// Returns whether the table has a rowid.
  ///
  /// - SeeAlso: <https://www.sqlite.org/withoutrowid.html>
  func hasRowID(table: QualifiedTableName) throws -> Bool {
    try entry(of: table)?.get(Bool.self, named: "wr") != true
  }

  /// Returns the row of `pragma_table_list` for a table. The list spells the name of a schema as
  /// the ATTACH statement did, so the name is folded here.
  private func entry(of table: QualifiedTableName) throws -> Row? {
    try rows("SELECT schema, name, wr FROM pragma_table_list(\(table.name))").first { row in
      try row.get(String.self, named: "schema").lowercasedASCII == table.schema
    }
  }

  /// Returns whether the primary key is the rowid itself. This is so if the key is one column with
  /// the declared type INTEGER, and SQLite has no separate index for the key.
  func hasRowIDKey(table: QualifiedTableName, keys: [TableColumn]) throws -> Bool {
    guard keys.count == 1, keys[0].declaredType.lowercasedASCII == "integer" else { return false }
    // An INTEGER key is not the rowid in two cases: in a table WITHOUT ROWID, and if the key is
    // declared as DESC. In both cases, the key has an index.
    return try row(
      "SELECT 1 FROM pragma_index_list(\(table.name), \(table.schema)) WHERE origin = 'pk'") == nil
  }

  /// Returns the tables with the user's rows, in the main database and in attached databases.
  func observableTables() throws -> [QualifiedTableName] {
    try rows("SELECT schema, name FROM pragma_table_list WHERE type = 'table'")
      .map { QualifiedTableName(schema: try $0.get(at: 0), try $0.get(at: 1)) }
      .filter(\.isObservable)
  }
}
