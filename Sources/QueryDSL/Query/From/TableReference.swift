import SQLCore

/// A table of a query, with the source of its rows: a model's table, a query, a common table or a
/// function; programs do not use it directly.
public struct TableReference: TableReferenceConvertible {
  let table: TableID
  /// Where the rows come from: a query, a common table or a function. Nil for the table of a model.
  var source: Source?
  /// Whether the table's columns are optional.
  var isOptional = false
  /// An error in the table, which is thrown when the query is rendered.
  var problem: QueryError?

  /// The table itself; programs do not use it directly.
  public var _reference: TableReference { self }
}

extension TableReference {
  /// The source of a table's rows, if that is not the table of a model.
  package enum Source: Sendable {
    /// A query in FROM, and its number of nested levels. Call `query(_:)` to make this case.
    indirect case nested(SelectStatement, depth: Int)
    case common(CommonTableName)
    /// A table-valued function, with its arguments.
    case function(String, [ExpressionNode])
    /// The row `excluded` of an upsert, or the row `OLD` or `NEW` of a trigger. The name is not
    /// quoted, and is written before each column of the row.
    case row(String)
  }
}
