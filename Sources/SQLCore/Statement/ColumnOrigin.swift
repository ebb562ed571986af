/// The table and column from which a column of a result takes its values.
///
/// - SeeAlso: <https://www.sqlite.org/c3ref/column_database_name.html>
public struct ColumnOrigin: Hashable, Sendable {
  /// The name of the database: `main`, or the name under which it is attached.
  public let database: String
  /// The name of the table.
  public let table: String
  /// The name of the column there.
  public let column: String
}
