import SQLCore

/// One clause of a `Query { }`, or several.
public struct QueryClause: Sendable {
  enum Kind: Sendable {
    case with(CommonTableNode)
    case from(TableReference)
    case join(SQLToken, TableReference, PredicateNode?)
    case predicates(ShortList<PredicateNode>)
    case groups([ExpressionNode])
    case having(ShortList<PredicateNode>)
    case window(String, WindowSpecification)
    case order([SelectStatement.OrderTerm])
    case limit(Int)
    case offset(Int)
    case limitParameter(SQLExpression<Int>)
    case offsetParameter(SQLExpression<Int>)
    case distinct
  }

  var kinds: [Kind]

  init(_ kind: Kind) {
    kinds = [kind]
  }

  init(joining clauses: [QueryClause]) {
    kinds = clauses.flatMap(\.kinds)
  }
}

/// The SELECT of a `Query { }`: it fixes the type of the rows.
public struct SelectClause<Row>: Sendable {
  let terms: [SelectStatement.SelectTerm]
  let decoding: RowDecoding<Row>
  /// What it cannot be, thrown when the query is rendered.
  var problem: QueryError?
  /// Clauses that stand before or behind it.
  var clauses = QueryClause(joining: [])
}

// The clauses are functions with the names of SQL's own words; each is a line of `Query { }`.

/// A common table that the query uses in From or a join. SQL: `WITH "levels" AS (…)`
public func With<Row: ResultRow>(_ table: CommonTable<Row>) -> QueryClause {
  QueryClause(.with(table.node))
}

/// The table that the rows come from. SQL: `FROM "Post"`
public func From<Table: QueryTable>(_ table: Table) -> QueryClause {
  QueryClause(.from(table.reference))
}

/// Another table, for each pair of rows that fits. SQL: `JOIN "Author" ON a = b`
public func Join<Table: QueryTable>(_ table: Table, on condition: SQLPredicate) -> QueryClause {
  QueryClause(.join(.inner, table.reference, condition.node))
}

/// Another table whose row may be missing: its columns are optional. SQL: `LEFT JOIN "Author" ON …`
public func LeftJoin<Table: OptionalQueryTable>(
  _ table: Table, on condition: SQLPredicate
) -> QueryClause {
  QueryClause(.join(.left, table.reference, condition.node))
}

// Words for two mistakes of which the compiler alone says no more than that it cannot infer a type.
// Each line of the builder is checked by itself, so that they cost a right query nothing.

/// A left join may find no row.
@available(
  *, unavailable, message: "a left join may find no row: its table is OptionalColumns<…>"
)
public func LeftJoin<Row: ResultRow>(
  _ table: Columns<Row>, on condition: SQLPredicate
) -> QueryClause {
  QueryClause(joining: [])
}

/// The rows of a query have no table.
@available(
  *, unavailable, message: "the rows of a query have no table: write From(query.as(columns))"
)
public func From<Row: ResultRow>(_ table: Columns<Row>) -> QueryClause {
  QueryClause(joining: [])
}

/// Another table each of whose rows is there; what stands before it may be missing, so that its
/// columns must be optional. SQL: `RIGHT JOIN "Author" ON …`
public func RightJoin<Table: QueryTable>(
  _ table: Table, on condition: SQLPredicate
) -> QueryClause {
  QueryClause(.join(.right, table.reference, condition.node))
}

/// Another table; each row of both sides is there, and the other side's may be missing, so that the
/// columns of all tables so far must be optional. SQL: `FULL JOIN "Author" ON …`
public func FullJoin<Table: OptionalQueryTable>(
  _ table: Table, on condition: SQLPredicate
) -> QueryClause {
  QueryClause(.join(.full, table.reference, condition.node))
}

/// Another table, for each pair of rows. SQL: `CROSS JOIN "Author"`
public func CrossJoin<Table: QueryTable>(_ table: Table) -> QueryClause {
  QueryClause(.join(.cross, table.reference, nil))
}

/// Predicates, one a line: all must hold. SQL: `WHERE a AND b`
public func Where(@PredicateBuilder _ predicates: () -> PredicateLines) -> QueryClause {
  QueryClause(.predicates(predicates().nodes))
}

/// Predicates over groups, one a line. SQL: `HAVING count(*) > ?`
public func Having(@PredicateBuilder _ predicates: () -> PredicateLines) -> QueryClause {
  QueryClause(.having(predicates().nodes))
}

/// One row for each combination of values. SQL: `GROUP BY a, b`
public func GroupBy<each Value: ColumnValue>(
  _ expressions: repeat SQLExpression<each Value>
) -> QueryClause {
  var nodes: [ExpressionNode] = []
  for expression in repeat each expressions { nodes.append(expression.collatedNode) }
  return QueryClause(.groups(nodes))
}

/// A window with a name, for `over(named:)`. SQL: `WINDOW "w" AS (PARTITION BY …)`
public func NamedWindow(_ name: String, _ window: Window) -> QueryClause {
  QueryClause(.window(name, window.node))
}

/// The order of the rows; a second line orders within the first. SQL: `ORDER BY a DESC NULLS LAST`
public func OrderBy<Value: ColumnValue>(
  _ expression: SQLExpression<Value>, _ direction: SortDirection = .ascending,
  nulls: NullOrder? = nil
) -> QueryClause {
  QueryClause(.order([SelectStatement.OrderTerm(expression.collatedNode, direction, nulls)]))
}

/// The order of the rows by a column of the result that `as` named. SQL: `ORDER BY "views"`
///
/// ```swift
/// let views = post.$views.sum().as("views")
/// OrderBy(views, .descending)
/// Select(post.$status, views)
/// ```
/// A name that no column behind SELECT has throws `QueryError` when the query is rendered.
public func OrderBy<Value: ColumnValue>(
  _ expression: AliasedExpression<Value>, _ direction: SortDirection = .ascending,
  nulls: NullOrder? = nil
) -> QueryClause {
  QueryClause(
    .order([SelectStatement.OrderTerm(.resultColumn(expression.name), direction, nulls)]))
}

/// At most so many rows. SQL: `LIMIT n`
public func Limit(_ count: Int) -> QueryClause { QueryClause(.limit(count)) }

/// Without the first rows. SQL: `OFFSET n`
public func Offset(_ count: Int) -> QueryClause { QueryClause(.offset(count)) }

/// At most as many rows as the parameter of a prepared query says. SQL: `LIMIT ?`
public func Limit(_ count: Param<Int>) -> QueryClause { QueryClause(.limitParameter(count)) }

/// Without as many rows as the parameter of a prepared query says. SQL: `OFFSET ?`
public func Offset(_ count: Param<Int>) -> QueryClause { QueryClause(.offsetParameter(count)) }

/// Each row once. SQL: `SELECT DISTINCT`
public func Distinct() -> QueryClause { QueryClause(.distinct) }

/// What each row holds: one column, expression or table. SQL: `SELECT a`
public func Select<Item: Selectable>(_ item: Item) -> SelectClause<Item.Output> {
  let (terms, decoding) = item.selection.clause
  return SelectClause(terms: terms, decoding: decoding)
}

/// What each row holds: columns, expressions and whole tables, as a tuple. SQL: `SELECT a, b`
public func Select<each Item: Selectable>(
  _ items: repeat each Item
) -> SelectClause<(repeat (each Item).Output)> {
  let (terms, decoding) = SelectStatement.tuple(repeat each items)
  return SelectClause(terms: terms, decoding: decoding)
}

/// What each row holds, as a struct by the names of its columns. SQL: `SELECT a AS "name", b AS …`
///
/// ```swift
/// Select(author.$name, post.$views.sum().ifNull(0).as("views"), into: Total.self)
/// ```
/// A column has the name of its property, an expression the one that `as` gives it. A property
/// that none is for, one of another type, and an item that is for none throw `QueryError` when the
/// query is rendered.
public func Select<Row: ResultRow, each Item: Selectable>(
  _ items: repeat each Item, into row: Row.Type
) -> SelectClause<Row> {
  var selection = RowSelection()
  for item in repeat each items { selection.append(item) }
  let (terms, problem) = selection.terms(into: row)
  return SelectClause(terms: terms, decoding: Row.decoding, problem: problem)
}
