import CSQLite

/// A column of a table, as its schema declares it.
///
/// ```swift
/// for column in try connection.columns(ofTable: "Post") { print(column.name, column.declaredType) }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_table_xinfo>
public struct TableColumn: Hashable, Sendable {
  /// The ways in which a column gets its value.
  public enum Generation: Int, Hashable, Sendable {
    /// The column stores the value that was written.
    case none = 0
    /// The column is a hidden column of a virtual table.
    case hidden = 1
    /// The value is calculated when it is read.
    case virtual = 2
    /// The value is calculated when the row is written.
    case stored = 3
  }

  /// The name.
  public let name: String
  /// The declared type as the schema spells it, such as `VARCHAR(20)`.
  public let declaredType: String
  /// Whether NOT NULL is declared. Also true for the primary key of a table WITHOUT ROWID, which
  /// cannot be NULL.
  public let isNotNull: Bool
  /// The default value as the schema spells it, such as `'draft'`.
  public let defaultText: String?
  /// The position in the primary key, from 1; 0 if the column is not part of the key.
  public let primaryKeyPosition: Int
  /// The source of the column's values.
  public let generation: Generation

  package init(
    name: String, declaredType: String, isNotNull: Bool, defaultText: String?,
    primaryKeyPosition: Int, generation: Generation
  ) {
    self.name = name
    self.declaredType = declaredType
    self.isNotNull = isNotNull
    self.defaultText = defaultText
    self.primaryKeyPosition = primaryKeyPosition
    self.generation = generation
  }

  /// The query for the columns of the table `?1` in the database `?2`. If `?2` is NULL, all
  /// databases are searched.
  fileprivate static let query = """
    SELECT name, type, CAST("notnull" AS TEXT), dflt_value, CAST(pk AS TEXT), CAST(hidden AS TEXT)
    FROM pragma_table_xinfo(?1, ?2)
    """

  /// Returns the names among `rowid`, `_rowid_` and `oid` that no column of the table has.
  ///
  /// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#rowid>
  package static func freeRowIDNames(besides isColumn: (String) -> Bool) -> [String] {
    ["rowid", "_rowid_", "oid"].filter { !isColumn($0) }
  }

  /// Makes a column from a row of `query`.
  fileprivate init(_ row: [String?]) {
    name = row[0] ?? ""
    declaredType = row[1] ?? ""
    isNotNull = row[2] == "1"
    defaultText = row[3]
    primaryKeyPosition = row[4].flatMap { Int($0) } ?? 0
    generation = row[5].flatMap { Int($0) }.flatMap(Generation.init) ?? .none
  }
}

extension Connection {
  /// Returns the columns of a table, including generated ones. Returns an empty array if the table
  /// does not exist.
  public func columns(ofTable table: String) throws -> [TableColumn] {
    try columns(ofTable: table, in: nil)
  }

  /// Returns the columns of a table in one of the databases of the connection.
  package func columns(ofTable table: String, in database: String?) throws -> [TableColumn] {
    let values = [DatabaseValue.text(table), database.map { .text($0) } ?? .null]
    return try rows(SQL(unsafe: TableColumn.query, values: values)).map { row in
      TableColumn(try (0..<6).map { try row.get(String?.self, at: $0) })
    }
  }

  /// Returns whether the main database has a table or view with this name. Case is ignored.
  public func tableExists(_ table: String) throws -> Bool {
    try row(
      "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = \(table) COLLATE NOCASE"
    ) != nil
  }
}

extension ConnectionCore {
  /// Returns the columns of a table in one of the databases of the connection. The query bypasses
  /// the statement cache and the observers.
  func columns(ofTable table: String, in database: String) throws -> [TableColumn] {
    try ownRows(TableColumn.query, [table, database]).map { TableColumn($0) }
  }

  /// Returns the name of the collation of a column in the main database.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/table_column_metadata.html>
  package func collation(ofColumn column: String, in table: String) throws -> String {
    var collation: UnsafePointer<CChar>?
    try check(
      sqlite3_table_column_metadata(
        handle, "main", table, column, nil, &collation, nil, nil, nil))
    return collation.map { String(cString: $0) } ?? "BINARY"
  }

  /// Returns how SQLite compares the values of a column in the main database. The storage class
  /// follows from the declared type; it is nil if there is no declared type, or if the type is one
  /// such as NUMERIC. `isBinary` is true if texts are compared byte by byte. The whole result is
  /// nil for a column of a view and for a missing column.
  ///
  /// - SeeAlso: <https://www.sqlite.org/c3ref/table_column_metadata.html>
  package func comparison(
    ofColumn column: String, in table: String
  ) -> (storageClass: StorageClass?, isBinary: Bool)? {
    var type: UnsafePointer<CChar>?
    var collation: UnsafePointer<CChar>?
    guard
      sqlite3_table_column_metadata(
        handle, "main", table, column, &type, &collation, nil, nil, nil) == SQLITE_OK
    else { return nil }
    return (
      type.flatMap { StorageClass(declaredType: String(cString: $0)) },
      collation.map { $0.isSame(as: "BINARY") } ?? true
    )
  }

  /// Returns whether a table is STRICT. The result is remembered until a statement of this
  /// connection changes the schema.
  package func isStrict(_ table: String) -> Bool {
    if let known = state.pointee.strictTables[table] { return known }
    let found = try? ownRows("SELECT min(strict) FROM pragma_table_list(?)", [table])
    let isStrict = found == [["1"]]
    state.pointee.strictTables[table] = isStrict
    return isStrict
  }
}
