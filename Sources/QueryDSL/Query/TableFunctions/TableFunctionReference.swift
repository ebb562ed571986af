import SQLCore

/// A table-valued function, or a full-text search, in FROM or a join.
public struct TableFunctionReference: TableReferenceConvertible {
  /// The table and what its rows come from; programs do not use it directly.
  public let _reference: TableReference
  /// The condition of a join; nil if the arguments of the function say which rows it has.
  var condition: PredicateNode?
}

/// Joins each row with all rows of a table-valued function, whose arguments may name columns of the
/// tables before it. SQL: `JOIN "json_each"("Post"."numbers")`
///
/// A row for which the function has no rows is left out; `LeftJoin` keeps it.
public func Join(_ table: TableFunctionReference) -> QueryClause {
  QueryClause(.join(.inner, table._reference, table.condition))
}

/// Joins each row with all rows of a table-valued function, and keeps the rows for which it has
/// none. SQL: `LEFT JOIN "json_each"("Post"."numbers")`
public func LeftJoin(_ table: OptionalTableFunctionReference) -> QueryClause {
  QueryClause(.join(.left, table._reference, table.condition))
}

/// Not available: a join of a table needs a condition.
@available(
  *, unavailable, message: "a join needs a condition: Join(table, on: …), or CrossJoin(table)"
)
public func Join<Row: ResultRow>(_ table: Columns<Row>) -> QueryClause {
  QueryClause(joining: [])
}

/// Not available: a left join of a table needs a condition.
@available(*, unavailable, message: "a left join needs a condition: LeftJoin(table, on: …)")
public func LeftJoin<Row: ResultRow>(_ table: OptionalColumns<Row>) -> QueryClause {
  QueryClause(joining: [])
}

/// Not available: a left join may find no row, so the columns of its table must be optional.
@available(
  *, unavailable, message: "a left join may find no row: its parameter must be OptionalColumns<…>"
)
public func LeftJoin(_ table: TableFunctionReference) -> QueryClause {
  QueryClause(joining: [])
}
