import SQLCore

/// One or several clauses of a `Query { }`.
public struct QueryClause: Sendable {
  enum Kind: Sendable {
    case with(CommonTableNode)
    case from(TableReference)
    case join(SQLToken, TableReference, PredicateNode?)
    case predicates(ShortList<PredicateNode>)
    case groups([ExpressionNode])
    case having(ShortList<PredicateNode>)
    indirect case window(String, WindowSpecification)
    case order([SelectStatement.OrderTerm])
    case limit(Int)
    case offset(Int)
    case limitExpression(SQLExpression<Int>)
    case offsetExpression(SQLExpression<Int>)
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

/// The SELECT clause of a `Query { }`, which determines the type of the rows.
public struct SelectClause<Row>: Sendable {
  let terms: [SelectStatement.SelectTerm]
  let decoding: RowDecoding<Row>
  /// An error in the clause, which is thrown when the query is rendered.
  var problem: QueryError?
  /// The other clauses of the query.
  var clauses = QueryClause(joining: [])
}

/// The direction of an order.
///
/// ```swift
/// let newest = Post.order(by: \.$createdAt, .descending)
/// ```
public enum SortDirection: Sendable {
  /// From the least to the greatest; NULL comes first.
  case ascending
  /// From the greatest to the least; NULL comes last.
  case descending
}

/// Whether an order puts NULL before or after all values. By default SQLite treats NULL as less
/// than any value.
///
/// ```swift
/// let unread = Post.order(by: \.$readAt, .ascending, nulls: .first)
/// ```
public enum NullOrder: Sendable {
  /// NULL comes before all values. SQL: `NULLS FIRST`
  case first
  /// NULL comes after all values. SQL: `NULLS LAST`
  case last
}

// The clauses of a query are functions that are named after SQL's keywords. In `Query { }`, each
// line calls one of them.
//
// `Where` and `Having` have one overload for a closure and one for a predicate. The parameter for
// the closure has a label, which a call with a trailing closure omits. The parameter for the
// predicate has no label. The compiler therefore chooses the overload before it looks at the
// predicate, and finds a misspelt column among sixteen terms with a tenth of the work.

/// Defines a common table for use in From or a join. SQL: `WITH "levels" AS (…)`
public func With<Row: ResultRow>(_ table: CommonTable<Row>) -> QueryClause {
  QueryClause(.with(table.node))
}

/// Selects rows from a table. SQL: `FROM "Post"`
public func From<Table: TableReferenceConvertible>(_ table: Table) -> QueryClause {
  QueryClause(.from(table._reference))
}

/// Joins a table by a condition. SQL: `JOIN "Author" ON a = b`
public func Join<Table: TableReferenceConvertible>(_ table: Table, on condition: SQLPredicate)
  -> QueryClause
{
  QueryClause(.join(.inner, table._reference, condition.node))
}

/// Joins a table. The result also has the rows of the earlier tables that match no row of this
/// table. In such a row of the result, the columns of this table are NULL, so they are optional.
/// SQL: `LEFT JOIN "Author" ON …`
public func LeftJoin<Table: OptionalTableReferenceConvertible>(
  _ table: Table, on condition: SQLPredicate
) -> QueryClause {
  QueryClause(.join(.left, table._reference, condition.node))
}

// The next two overloads exist for their error messages. Without them, the compiler reports only
// that it cannot infer a type. They do not slow down the compilation of a valid query, because each
// line of the builder is type-checked separately.

/// Not available: a left join may find no row, so the columns of its table must be optional.
@available(
  *, unavailable, message: "a left join may find no row: its parameter must be OptionalColumns<…>"
)
public func LeftJoin<Row: ResultRow>(
  _ table: Columns<Row>, on condition: SQLPredicate
) -> QueryClause {
  QueryClause(joining: [])
}

/// Not available: a row type that is not a model has no table.
@available(
  *, unavailable, message: "the rows of a query have no table: write From(query.as(columns))"
)
public func From<Row: ResultRow>(_ table: Columns<Row>) -> QueryClause {
  QueryClause(joining: [])
}

/// Joins a table. The result also has the rows of this table that match no row of the earlier
/// tables.
/// SQL: `RIGHT JOIN "Author" ON …`
///
/// A row of an earlier table may be missing, so the columns of the earlier tables must be optional.
/// Otherwise the query throws `QueryError` when it is rendered.
public func RightJoin<Table: TableReferenceConvertible>(
  _ table: Table, on condition: SQLPredicate
) -> QueryClause {
  QueryClause(.join(.right, table._reference, condition.node))
}

/// Joins a table. The result also has the rows of either side that match no row of the other side.
/// SQL: `FULL JOIN "Author" ON …`
///
/// A row of either side may be missing, so the columns of this table and of all earlier tables must
/// be optional. Otherwise the query throws `QueryError` when it is rendered.
public func FullJoin<Table: OptionalTableReferenceConvertible>(
  _ table: Table, on condition: SQLPredicate
) -> QueryClause {
  QueryClause(.join(.full, table._reference, condition.node))
}

/// Combines each row with every row of a table. SQL: `CROSS JOIN "Author"`
public func CrossJoin<Table: TableReferenceConvertible>(_ table: Table) -> QueryClause {
  QueryClause(.join(.cross, table._reference, nil))
}

/// Restricts the result to rows that match all predicates of the closure. SQL: `WHERE a AND b`
public func Where(@PredicateBuilder matching predicates: () -> PredicateLines) -> QueryClause {
  QueryClause(.predicates(predicates().nodes))
}

/// Restricts the result to rows that match a predicate. SQL: `WHERE a`
///
/// ```swift
/// Where(post.$views > 100)
/// ```
public func Where(_ predicate: SQLPredicate) -> QueryClause {
  QueryClause(.predicates(.one(predicate.node)))
}

/// Restricts the result to groups that match all predicates of the closure.
/// SQL: `HAVING count(*) > ?`
public func Having(@PredicateBuilder matching predicates: () -> PredicateLines) -> QueryClause {
  QueryClause(.having(predicates().nodes))
}

/// Restricts the result to groups that match a predicate. SQL: `HAVING count(*) > ?`
///
/// ```swift
/// Having(post.$views.sum() > 100)
/// ```
public func Having(_ predicate: SQLPredicate) -> QueryClause {
  QueryClause(.having(.one(predicate.node)))
}

/// Groups rows with the same values. SQL: `GROUP BY a, b`
public func GroupBy<each Value: ColumnValue>(
  _ expressions: repeat SQLExpression<each Value>
) -> QueryClause {
  var nodes: [ExpressionNode] = []
  for expression in repeat each expressions { nodes.append(expression.collatedNode) }
  return QueryClause(.groups(nodes))
}

/// Defines a window for `over(named:)`. SQL: `WINDOW "w" AS (PARTITION BY …)`
public func NamedWindow(_ name: String, _ window: Window) -> QueryClause {
  QueryClause(.window(name, window.node))
}

/// Orders the rows by an expression. If the query has several OrderBy clauses, a later one orders
/// the rows that are equal in the earlier ones. SQL: `ORDER BY a DESC NULLS LAST`
public func OrderBy<Value: ColumnValue>(
  _ expression: SQLExpression<Value>, _ direction: SortDirection = .ascending,
  nulls: NullOrder? = nil
) -> QueryClause {
  QueryClause(.order([SelectStatement.OrderTerm(expression.collatedNode, direction, nulls)]))
}

/// Orders the rows by a selected expression to which `as` gives a name. SQL: `ORDER BY "views"`
///
/// ```swift
/// let views = post.$views.sum().as("views")
/// OrderBy(views, .descending)
/// Select(post.$status, views)
/// ```
/// If no selected column has that name, the query throws `QueryError` when it is rendered.
@_disfavoredOverload
public func OrderBy<Value: ColumnValue>(
  _ expression: AliasedExpression<Value>, _ direction: SortDirection = .ascending,
  nulls: NullOrder? = nil
) -> QueryClause {
  QueryClause(
    .order([SelectStatement.OrderTerm(.resultColumn(expression.name), direction, nulls)]))
}

/// Limits the result to `count` rows. SQL: `LIMIT ?`
///
/// A second limit or a negative `count` throws `QueryError` when the query is rendered.
public func Limit(_ count: Int) -> QueryClause { QueryClause(.limit(count)) }

/// Skips the first `count` rows. SQL: `OFFSET ?`
///
/// A second offset or a negative `count` throws `QueryError` when the query is rendered.
public func Offset(_ count: Int) -> QueryClause { QueryClause(.offset(count)) }

/// Limits the number of rows by an expression, such as a parameter of a prepared query or a
/// subquery. SQL: `LIMIT a`
///
/// If the expression is a parameter, a negative argument throws `QueryError`. Any other negative
/// value means no limit, as in SQL. NULL throws `DatabaseError`. The expression cannot name columns
/// of the query.
public func Limit(_ count: SQLExpression<Int>) -> QueryClause {
  QueryClause(.limitExpression(count))
}

/// Skips the number of rows that an expression gives, such as a parameter of a prepared query or a
/// subquery. SQL: `OFFSET a`
public func Offset(_ count: SQLExpression<Int>) -> QueryClause {
  QueryClause(.offsetExpression(count))
}

/// Removes duplicate rows. SQL: `SELECT DISTINCT`
public func Distinct() -> QueryClause { QueryClause(.distinct) }

/// Selects one column, expression or table. SQL: `SELECT a`
public func Select<Item: Selectable>(_ item: Item) -> SelectClause<Item.Selected> {
  let (terms, decoding) = item.selectClause
  return SelectClause(terms: terms, decoding: decoding)
}

/// Selects columns, expressions and whole tables, as a tuple. SQL: `SELECT a, b`
public func Select<each Item: Selectable>(
  _ items: repeat each Item
) -> SelectClause<(repeat (each Item).Selected)> {
  let (terms, decoding) = SelectStatement.tuple(repeat each items)
  return SelectClause(terms: terms, decoding: decoding)
}

/// Selects items that are read into the properties of a struct. Each item must have the name of a
/// property.
/// SQL: `SELECT a AS "name", b AS …`
///
/// ```swift
/// Select(author.$name, post.$views.sum().ifNull(0).as("views"), into: Total.self)
/// ```
/// A column has the name of its property, and `as` gives an expression a name. Each property of the
/// struct needs exactly one item with its name and type, and each item needs a property. Otherwise
/// the query throws `QueryError` when it is rendered.
public func Select<Row: ResultRow, each Item: Selectable>(
  _ items: repeat each Item, into row: Row.Type
) -> SelectClause<Row> {
  var selection = RowSelection()
  for item in repeat each items { selection.append(item) }
  let (terms, problem) = selection.terms(into: row)
  return SelectClause(terms: terms, decoding: Row.decoding, problem: problem)
}
