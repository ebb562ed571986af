import SQLCore

/// A table of a query and what its rows come from, which is the model's table, a query or a common
/// table; programs do not use it directly.
public struct TableReference: QueryTable {
  let table: TableID
  /// The query or common table; nil for the table of a model.
  var source: TableSource?
  /// Whether its columns are optional.
  var isOptional = false
  /// An error in the table, which is thrown when the query is rendered.
  var problem: QueryError?

  /// The table itself; programs do not use it directly.
  public var _reference: TableReference { self }
}
