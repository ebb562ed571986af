import SQLCore

/// A table of a query, with the source of its rows: a model's table, a query, a common table or a
/// function; programs do not use it directly.
public struct TableReference: TableReferenceConvertible {
  let table: TableID
  /// The query, common table or function; nil for the table of a model.
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
    /// A query, and the depth of its nesting. Call `query(_:)` to make this case.
    indirect case nested(SelectStatement, depth: Int)
    case common(CommonTableName)
    /// A table-valued function, with its arguments.
    case function(String, [ExpressionNode])
    /// A row whose name is not quoted, and is always written before its columns: `excluded`, `OLD`
    /// or `NEW`.
    case row(String)
  }
}
