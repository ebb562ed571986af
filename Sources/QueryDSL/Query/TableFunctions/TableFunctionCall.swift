import SQLCore

/// A call of a table-valued function, which a query uses as a table.
///
/// ```swift
/// Query { (post: Columns<Post>, tag: Columns<JSONElement<String>>) in
///   From(post)
///   Join(jsonEach(post.$tags).as(tag))
///   Where { tag.$value == "swift" }
///   Select(post.$title, tag.$index)
/// }
/// // SELECT "Post"."title", "apus_json_each"."key"
/// //   FROM "Post" JOIN "apus_json_each"("Post"."tags", 'String') WHERE "apus_json_each"."value" = ?
/// ```
/// `as(tag)` lets the query name the columns of the function by `tag`. An argument may be a column
/// of an earlier table. The function is then evaluated for each row of that table. If no argument
/// is a column, the call is itself a query and can be fetched:
/// `db.fetch(generateSeries(1, through: 10))`.
///
/// Apus does not observe changes of a virtual table. A live query that reads a virtual table runs
/// again when one of its other tables changes.
/// - SeeAlso: <https://www.sqlite.org/vtab.html#tabfunc2>
public struct TableFunctionCall<Row: ResultRow>: Fetchable {
  let name: String
  let arguments: [ExpressionNode]

  /// The query for all rows of the function. SQL: `SELECT "value" FROM "generate_series"(?, ?, ?)`
  public var query: Query<Row> { all.query }

  /// A query for all rows of the function, to which conditions, an order and a limit can be added.
  ///
  /// ```swift
  /// jsonEach(SQLExpression(tags)).all.order(by: \.$value).select(\.$value)
  /// ```
  public var all: TableQuery<Row, Row> {
    let columns = Columns<Row>()
    var statement = SelectStatement(selection: .table(columns.table), from: columns.table)
    statement.changeExtras { $0.sources = [(columns.table, source)] }
    return TableQuery(
      query: Query(statement: statement, decoding: Row.decoding), columns: columns)
  }

  /// Returns a query for the rows of the function that match all predicates of the closure.
  /// SQL: `FROM "generate_series"(?, ?, ?) WHERE a AND b`
  public func `where`(
    @PredicateBuilder _ predicates: (Columns<Row>) -> PredicateLines
  ) -> TableQuery<Row, Row> {
    all.where(predicates)
  }

  /// Uses the call as a table in From or a join. The query then names the columns of this table by
  /// `columns`.
  /// SQL: `FROM "json_each"("Post"."numbers")`
  public func `as`(_ columns: Columns<Row>) -> TableFunctionReference {
    TableFunctionReference(_reference: TableReference(table: columns.table, source: source))
  }

  /// Uses the call as a table in a left join, which also keeps the rows for which the function
  /// returns no row.
  /// SQL: `LEFT JOIN "json_each"("Post"."numbers")`
  public func `as`(_ columns: OptionalColumns<Row>) -> OptionalTableFunctionReference {
    OptionalTableFunctionReference(
      _reference: TableReference(
        table: columns.columns.table, source: source, isOptional: true))
  }

  private var source: TableReference.Source { .function(name, arguments) }
}

/// A table-valued function, or a full-text search, in FROM or a join.
public struct TableFunctionReference: TableReferenceConvertible {
  /// The table and the source of its rows; programs do not use it directly.
  public let _reference: TableReference
  /// The condition of the join, if the table is a full-text search. Nil for a table-valued
  /// function, because its arguments already determine which rows are joined.
  var condition: PredicateNode?
}

/// Joins each row of the query with all rows that a table-valued function returns for it. The
/// arguments of the function may name columns of earlier tables. SQL:
/// `JOIN "json_each"("Post"."numbers")`
///
/// If the function returns no rows for a row of the query, the result does not contain this row.
/// `LeftJoin` keeps such rows.
public func Join(_ table: TableFunctionReference) -> QueryClause {
  QueryClause(.join(.inner, table._reference, table.condition))
}

/// Joins each row of the query with all rows that a table-valued function returns for it. If the
/// function returns no rows, the result still contains the row of the query, with nil in the
/// columns of the function. SQL: `LEFT JOIN "json_each"("Post"."numbers")`
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

/// A table-valued function, or a full-text search, in a left join. The join may find no row of this
/// table, so the columns of the table are optional.
public struct OptionalTableFunctionReference: OptionalTableReferenceConvertible {
  /// The table and the source of its rows; programs do not use it directly.
  public let _reference: TableReference
  /// The condition of the join, if the table is a full-text search. Nil for a table-valued
  /// function, because its arguments already determine which rows are joined.
  var condition: PredicateNode?
}
