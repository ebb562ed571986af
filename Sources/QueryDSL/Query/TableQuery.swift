import SQLCore

/// A query over one table: `Post.where { … }` and what follows it.
///
/// ```swift
/// Post.where { $0.$status == .published && $0.$views > 100 }
///   .order(by: \.$createdAt, .descending).limit(20)
/// // SELECT … FROM "Post" WHERE "status" = ? AND "views" > ?
/// //   ORDER BY "createdAt" DESC LIMIT ?
/// ```
///
/// It is a value: each step gives another query, and nothing runs until it is fetched.
public struct TableQuery<M: Model, Row: Sendable>: Fetchable {
  @usableFromInline package var select: Request<Row>
  @usableFromInline let columns: Columns<M>

  @inlinable
  init(request: Request<Row>, columns: Columns<M>) {
    self.select = request
    self.columns = columns
  }

  /// The SELECT that it becomes, with the way to read its rows.
  @inlinable
  public var request: Request<Row> { select }

  /// Adds predicates: each line must hold, and what was there before. SQL: `WHERE a AND b`
  @inlinable
  public consuming func `where`(
    @PredicateBuilder _ predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    select.statement.add(predicates(columns))
    return self
  }

  /// Orders by a column, after what was ordered by before. SQL: `ORDER BY a DESC`
  @inlinable
  @inline(__always)
  public consuming func order<Value: ColumnValue>(
    by column: KeyPath<M, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> Self {
    order(columns[dynamicMember: column].collatedNode, direction, nulls)
  }

  /// Orders by a column of the result that `as` named. SQL: `ORDER BY "views"`
  ///
  /// A name that no column behind SELECT has throws `QueryError` when the query is rendered.
  public consuming func order(
    byColumn name: String, _ direction: SortDirection = .ascending, nulls: NullOrder? = nil
  ) -> Self {
    order(.resultColumn(name), direction, nulls)
  }

  /// Orders by an expression. SQL: `ORDER BY a + b`
  @inlinable
  public consuming func order<Value: ColumnValue>(
    _ direction: SortDirection = .ascending, nulls: NullOrder? = nil,
    by expression: (Columns<M>) -> SQLExpression<Value>
  ) -> Self {
    order(expression(columns).collatedNode, direction, nulls)
  }

  @inlinable
  consuming func order(
    _ node: consuming ExpressionNode, _ direction: SortDirection, _ nulls: NullOrder?
  ) -> Self {
    select.statement.addOrder(node, direction, nulls)
    return self
  }

  /// At most so many rows; said twice, it throws `QueryError` when the query is rendered.
  @inlinable
  public consuming func limit(_ count: Int) -> Self {
    select.statement.setLimit(count)
    return self
  }

  /// At most as many rows as the parameter of a prepared query says; a negative number throws.
  public consuming func limit(_ count: Param<Int>) -> Self {
    select.statement.setLimit(count)
    return self
  }

  /// Without as many rows as the parameter of a prepared query says; a negative number throws.
  public consuming func offset(_ count: Param<Int>) -> Self {
    select.statement.setOffset(count)
    return self
  }

  /// Without the first rows; said twice, it throws `QueryError` when the query is rendered.
  @inlinable
  public consuming func offset(_ count: Int) -> Self {
    select.statement.setOffset(count)
    return self
  }

  /// Each row once. SQL: `SELECT DISTINCT`
  public consuming func distinct() -> Self {
    select.statement.isDistinct = true
    return self
  }

  /// Groups by columns; `select` then takes aggregates. SQL: `GROUP BY a, b`
  public consuming func group<each Value: ColumnValue>(
    by columns: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> Self {
    for column in repeat each columns {
      select.statement.groups.append(self.columns[dynamicMember: column].collatedNode)
    }
    return self
  }

  /// Only groups for which each line holds. SQL: `HAVING count(*) > ?`
  public consuming func having(
    @PredicateBuilder _ predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    select.statement.having.append(contentsOf: predicates(columns).nodes)
    return self
  }
}
