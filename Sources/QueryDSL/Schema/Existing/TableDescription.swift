import SQLCore

/// A table of a database file, as its definition describes it. The description also has parts that
/// SQLite's pragmas do not report, such as CHECK constraints.
///
/// ```swift
/// let table = try db.read { try $0.tableDescription(of: "Post") }
/// table?.checks.first?.condition          // "views" >= 0
/// table?.columns[2].collation             // NOCASE
/// ```
///
/// The SQL of an expression is the text in the file. A tool that writes models for existing tables
/// can use this description. When a migration compares models with a file, it uses the same
/// information.
/// - SeeAlso: <https://www.sqlite.org/lang_createtable.html>
public struct TableDescription: Hashable, Sendable {
  /// A column of a table.
  public struct Column: Hashable, Sendable {
    /// The name of the column.
    public let name: String
    /// The declared type, as it is written in the definition; empty if the column declares no type.
    public let type: String
    /// Whether NOT NULL is declared.
    public let isNotNull: Bool
    /// The SQL of the default.
    public let defaultText: String?
    /// The name of the declared collation.
    public let collation: String?
    /// The SQL of the expression that calculates a generated column.
    public let expression: String?
    /// Whether a generated column is stored, rather than calculated when it is read.
    public let isStored: Bool
    /// The form of the stored values, if a comment names it, such as `/* unixSeconds */`.
    public let form: StoredForm?
  }

  /// A foreign key of a table.
  public struct ForeignKey: Hashable, Sendable {
    /// The columns that refer to another table.
    public let columns: [String]
    /// The referenced table.
    public let target: String
    /// The referenced columns; empty if the foreign key refers to the other table's primary key.
    public let targetColumns: [String]
    /// The effect of deleting the referenced row.
    public let onDelete: ForeignKeyAction
    /// The effect of changing the key of the referenced row.
    public let onUpdate: ForeignKeyAction
    /// Whether the foreign key is checked when the transaction commits, not after each statement.
    public let isDeferred: Bool
  }

  /// A condition that each row fulfils.
  public struct Check: Hashable, Sendable {
    /// The name of the constraint, if it has one.
    public let name: String?
    /// The SQL of the condition.
    public let condition: String
  }

  /// The name of the table.
  public let name: String
  /// The statement that created the table, in the form in which SQLite keeps it.
  public let sql: String
  /// The columns, in order.
  public let columns: [Column]
  /// The columns of the primary key, in the order of the key; empty for a table without a primary
  /// key.
  public let keyColumns: [String]
  /// Whether the primary key is an alias of the rowid. The database can then assign the key.
  /// - SeeAlso: <https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key>
  public let hasRowIDKey: Bool
  /// The foreign keys.
  public let foreignKeys: [ForeignKey]
  /// The CHECK constraints, of columns and of the table.
  public let checks: [Check]
  /// The columns of each UNIQUE constraint that names no collation.
  public let uniqueColumns: [[String]]
  /// Whether the table is STRICT.
  public let isStrict: Bool
  /// Whether the table is WITHOUT ROWID.
  public let isWithoutRowID: Bool
}

extension Connection {
  /// Returns the description of a table of the main database. Returns nil if there is no ordinary
  /// table of that name, or if the library cannot parse its definition.
  ///
  /// Costs one statement, which finds the definition by the table's name.
  public func tableDescription(of table: String) throws -> TableDescription? {
    let row = try row(
      """
      SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name = \(table) COLLATE NOCASE
      """)
    guard let row, let sql = try row.get(String?.self, at: 1),
      let existing = try? TableParser.parse(sql)
    else { return nil }
    return TableDescription(existing, name: try row.get(at: 0))
  }
}

extension TableDescription {
  init(_ table: ExistingTable, name: String) {
    self.name = name
    sql = table.sql
    columns = table.columns.map(Column.init)
    keyColumns = table.key.columns
    hasRowIDKey = table.hasRowIDKey
    foreignKeys = table.foreignKeys.map(ForeignKey.init)
    checks = table.constraints.compactMap { constraint in
      guard case .check(let condition) = constraint.kind else { return nil }
      return Check(name: constraint.name, condition: condition)
    }
    uniqueColumns = table.constraints.compactMap { constraint in
      guard case .unique(let terms) = constraint.kind, terms.allSatisfy({ $0.collation == nil })
      else { return nil }
      return terms.map(\.column)
    }
    isStrict = table.isStrict
    isWithoutRowID = table.isWithoutRowID
  }
}

extension TableDescription.Column {
  fileprivate init(_ column: ExistingTable.Column) {
    name = column.name
    type = column.type
    isNotNull = column.isNotNull
    defaultText = column.defaultText
    collation = column.collation
    expression = column.generated?.expression
    isStored = column.generated?.isStored ?? false
    form = column.form
  }
}

extension TableDescription.ForeignKey {
  fileprivate init(_ key: ExistingTable.ForeignKey) {
    columns = key.columns
    target = key.target
    targetColumns = key.targetColumns
    onDelete = ForeignKeyAction(rawValue: key.onDelete) ?? .noAction
    onUpdate = ForeignKeyAction(rawValue: key.onUpdate) ?? .noAction
    isDeferred = key.isDeferred
  }
}
