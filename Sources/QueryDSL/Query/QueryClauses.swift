import SQLCore

/// One clause of a `Query { }`, or several.
public struct QueryClause: Sendable {
  enum Kind: Sendable {
    case from(TableID)
    case join(SelectStatement.Join)
    case predicates([PredicateNode])
    case groups([ExpressionNode])
    case having([PredicateNode])
    case order([SelectStatement.OrderTerm])
    case limit(Int)
    case offset(Int)
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
  /// Clauses that stand before or behind it.
  var clauses: QueryClause
}

// The clauses are functions with the names of SQL's own words; each is a line of `Query { }`.

/// The table that the rows come from. SQL: `FROM "Post"`
public func From<M: Model>(_ table: Columns<M>) -> QueryClause {
  QueryClause(.from(table.table))
}

/// Another table, for each pair of rows that fits. SQL: `JOIN "Author" ON a = b`
public func Join<M: Model>(_ table: Columns<M>, on condition: SQLPredicate) -> QueryClause {
  QueryClause(
    .join(SelectStatement.Join(kind: .inner, table: table.table, condition: condition.node)))
}

/// Another table whose row may be missing: its columns are optional. SQL: `LEFT JOIN "Author" ON …`
public func LeftJoin<M: Model>(
  _ table: OptionalColumns<M>, on condition: SQLPredicate
) -> QueryClause {
  QueryClause(
    .join(
      SelectStatement.Join(kind: .left, table: table.columns.table, condition: condition.node)))
}

/// Predicates, one a line: all must hold. SQL: `WHERE a AND b`
public func Where(@PredicateBuilder _ predicates: () -> [SQLPredicate]) -> QueryClause {
  QueryClause(.predicates(predicates().map(\.node)))
}

/// Predicates over groups, one a line. SQL: `HAVING count(*) > ?`
public func Having(@PredicateBuilder _ predicates: () -> [SQLPredicate]) -> QueryClause {
  QueryClause(.having(predicates().map(\.node)))
}

/// One row for each combination of values. SQL: `GROUP BY a, b`
public func GroupBy<each Value: ColumnValue>(
  _ expressions: repeat SQLExpression<each Value>
) -> QueryClause {
  var nodes: [ExpressionNode] = []
  for expression in repeat each expressions { nodes.append(expression.node) }
  return QueryClause(.groups(nodes))
}

/// The order of the rows; a second line orders within the first. SQL: `ORDER BY a DESC`
public func OrderBy<Value: ColumnValue>(
  _ expression: SQLExpression<Value>, _ direction: SortDirection = .ascending
) -> QueryClause {
  QueryClause(
    .order([
      SelectStatement.OrderTerm(
        expression: expression.node, isDescending: direction == .descending)
    ]))
}

/// At most so many rows. SQL: `LIMIT n`
public func Limit(_ count: Int) -> QueryClause { QueryClause(.limit(count)) }

/// Without the first rows. SQL: `OFFSET n`
public func Offset(_ count: Int) -> QueryClause { QueryClause(.offset(count)) }

/// Each row once. SQL: `SELECT DISTINCT`
public func Distinct() -> QueryClause { QueryClause(.distinct) }

/// What each row holds: one column, expression or table. SQL: `SELECT a`
public func Select<Item: Selectable>(_ item: Item) -> SelectClause<Item.Output> {
  let selection = item.selection
  return SelectClause(
    terms: [selection.term], decoding: .rows(columns: selection.columns, selection.read),
    clauses: QueryClause(joining: []))
}

/// What each row holds: columns, expressions and whole tables, as a tuple. SQL: `SELECT a, b`
public func Select<each Item: Selectable>(
  _ items: repeat each Item
) -> SelectClause<(repeat (each Item).Output)> {
  let (terms, decoding) = SelectStatement.tuple(repeat each items)
  return SelectClause(terms: terms, decoding: decoding, clauses: QueryClause(joining: []))
}
