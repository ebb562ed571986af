/// A column of a table, as its schema declares it.
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
  /// The declared type, as it stands in the schema.
  public let declaredType: String
  /// Whether NOT NULL is declared.
  public let isNotNull: Bool
  /// The text of the DEFAULT, as it stands in the schema.
  public let defaultText: String?
  /// The position in the primary key, from 1; 0 for a column that is not part of it.
  public let primaryKeyPosition: Int
  /// The way in which the column gets its value.
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
