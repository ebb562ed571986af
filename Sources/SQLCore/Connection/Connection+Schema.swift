import CSQLite

/// A column of a table as the database declares it.
///
/// - SeeAlso: <https://www.sqlite.org/pragma.html#pragma_table_xinfo>
public struct TableColumn: Hashable, Sendable {
  /// How a column comes to its value.
  public enum Generation: Int, Hashable, Sendable {
    /// It is stored as it was written.
    case none = 0
    /// A hidden column of a virtual table.
    case hidden = 1
    /// Calculated when it is read.
    case virtual = 2
    /// Calculated when the row is written.
    case stored = 3
  }

  /// The name.
  public let name: String
  /// The declared type, as it stands in the schema.
  public let declaredType: String
  /// Whether NOT NULL is declared.
  public let isNotNull: Bool
  /// The text of the DEFAULT, as it stands in the schema.
  public let defaultText: String?
  /// The place in the primary key, from 1; 0 for a column that is not in it.
  public let primaryKeyPosition: Int
  /// How the column comes to its value.
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
}

extension Connection {
  /// The columns of a table, generated ones too; empty where there is no such table.
  public func columns(ofTable table: String) throws -> [TableColumn] {
    var columns: [TableColumn] = []
    try forEach(
      """
      SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(\(table))
      """
    ) { row in
      columns.append(
        TableColumn(
          name: try row.get(at: 0), declaredType: try row.get(at: 1),
          isNotNull: try row.get(at: 2), defaultText: try row.get(at: 3),
          primaryKeyPosition: try row.get(at: 4),
          generation: TableColumn.Generation(rawValue: try row.get(at: 5)) ?? .none))
    }
    return columns
  }

  /// Whether there is a table or view of that name in the main database, without case.
  public func tableExists(_ table: String) throws -> Bool {
    try row(
      "SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = lower(\(table))"
    ) != nil
  }
}
