import SQLCore

/// A query over one table, such as `Post.where { … }` and the methods that may follow it.
///
/// ```swift
/// Post.where { $0.$status == .published && $0.$views > 100 }
///   .order(by: \.$createdAt, .descending).limit(20)
/// // SELECT … FROM "Post" WHERE "status" = ? AND "views" > ?
/// //   ORDER BY "createdAt" DESC LIMIT ?
/// ```
///
/// It is a value: each method returns another query, and nothing runs until the query is fetched.
public struct TableQuery<M: ResultRow, Row: Sendable>: Fetchable {
  @usableFromInline package var select: Query<Row>
  @usableFromInline let columns: Columns<M>

  @inlinable
  init(query: Query<Row>, columns: Columns<M>) {
    self.select = query
    self.columns = columns
  }

  /// The SELECT of the query, with the way to read its rows.
  @inlinable
  public var query: Query<Row> { select }

  /// Adds predicates. Each line must hold, and the existing predicates as well.
  /// SQL: `WHERE a AND b`
  @inlinable
  public consuming func `where`(
    @PredicateBuilder _ predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    select.statement.add(predicates(columns))
    return self
  }

  /// Orders by a column, after the expressions of earlier calls. SQL: `ORDER BY a DESC`
  @inlinable
  @inline(__always)
  public consuming func order<Value: ColumnValue>(
    by column: KeyPath<M, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> Self {
    order(columns[dynamicMember: column].collatedNode, direction, nulls)
  }

  /// Orders by the column of the result that has that name or alias. SQL: `ORDER BY "views"`
  ///
  /// If no selected column has that name, it throws `QueryError` when the query is rendered.
  public consuming func order(
    byColumn name: String, _ direction: SortDirection = .ascending, nulls: NullOrder? = nil
  ) -> Self {
    order(.resultColumn(name), direction, nulls)
  }

  /// Orders by an expression, after those of earlier calls.
  ///
  /// ```swift
  /// Post.all.order { $0.$likes + $0.$views }                       // ORDER BY "likes" + "views"
  /// Post.all.order(by: { $0.$likes + $0.$views }, .descending)     // … DESC
  /// ```
  @inlinable
  public consuming func order<Value: ColumnValue>(
    by expression: (Columns<M>) -> SQLExpression<Value>,
    _ direction: SortDirection = .ascending, nulls: NullOrder? = nil
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

  /// Limits the result to `count` rows. SQL: `LIMIT ?`
  ///
  /// It replaces an earlier limit, and nil removes it. A negative one throws `QueryError` when the
  /// query is rendered.
  @inlinable
  public consuming func limit(_ count: Int?) -> Self {
    select.statement.setLimit(count)
    return self
  }

  /// Limits the number of rows by a parameter of a prepared query. SQL: `LIMIT ?`
  ///
  /// It replaces an earlier limit. A negative argument throws `QueryError`.
  public consuming func limit(_ count: SQLParameter<Int>) -> Self {
    select.statement.setLimit(count)
    return self
  }

  /// Skips a number of rows that is a parameter of a prepared query. SQL: `OFFSET ?`
  ///
  /// It replaces an earlier offset. A negative argument throws `QueryError`.
  public consuming func offset(_ count: SQLParameter<Int>) -> Self {
    select.statement.setOffset(count)
    return self
  }

  /// Skips the first `count` rows. SQL: `OFFSET ?`
  ///
  /// It replaces an earlier offset, and nil removes it. A negative one throws `QueryError` when the
  /// query is rendered.
  @inlinable
  public consuming func offset(_ count: Int?) -> Self {
    select.statement.setOffset(count)
    return self
  }

  /// Removes duplicate rows. SQL: `SELECT DISTINCT`
  public consuming func distinct() -> Self {
    select.statement.isDistinct = true
    return self
  }

  /// Groups by columns; `select` can then use aggregates. SQL: `GROUP BY a, b`
  public consuming func group<each Value: ColumnValue>(
    by columns: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> Self {
    for column in repeat each columns {
      select.statement.groups.append(self.columns[dynamicMember: column].collatedNode)
    }
    return self
  }

  /// Restricts the result to groups for which each line holds. SQL: `HAVING count(*) > ?`
  public consuming func having(
    @PredicateBuilder _ predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    select.statement.having.append(contentsOf: predicates(columns).nodes)
    return self
  }
}
