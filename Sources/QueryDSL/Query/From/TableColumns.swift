import SQLCore

/// A parameter of `Query { }`, which is the columns of a table; programs do not use it directly.
public protocol TableColumns: Sendable {
  /// Makes the columns of a new table.
  init()

  /// Takes the next table of the model from those of a query that is narrowed.
  init(_from tables: _QueryTables)
}
