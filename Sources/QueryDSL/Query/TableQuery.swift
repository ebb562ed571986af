import SQLCore

/// A query over one table, such as `Post.where { … }`. Its methods return queries with further
/// clauses.
///
/// ```swift
/// Post.where { $0.$status == .published && $0.$views > 100 }
///   .order(by: \.$createdAt, .descending).limit(20)
/// // SELECT … FROM "Post" WHERE "status" = ? AND "views" > ?
/// //   ORDER BY "createdAt" DESC LIMIT ?
/// ```
///
/// The query is a value. Each method returns another query, and no SQL runs until a query is
/// fetched.
public struct TableQuery<M: ResultRow, Row: Sendable>: Fetchable {
  @usableFromInline package var select: Query<Row>
  @usableFromInline let columns: Columns<M>

  @inlinable
  init(query: Query<Row>, columns: Columns<M>) {
    self.select = query
    self.columns = columns
  }

  /// The query as a SELECT statement, with the decoding that reads its rows.
  @inlinable
  public var query: Query<Row> { select }

  /// Adds predicates to the query. A row must match all predicates of the closure, and all
  /// predicates that were added before.
  /// SQL: `WHERE a AND b`
  @inlinable
  public consuming func `where`(
    @PredicateBuilder _ predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    select.statement.add(predicates(columns))
    return self
  }

  /// Orders the rows by a column. If the query already has terms of ORDER BY, the column comes
  /// after these terms. SQL: `ORDER BY a DESC`
  @inlinable
  @inline(__always)
  public consuming func order<Value: ColumnValue>(
    by column: KeyPath<M, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> Self {
    order(columns[dynamicMember: column].collatedNode, direction, nulls)
  }

  /// Orders by the result column with the given name or alias. SQL: `ORDER BY "views"`
  ///
  /// If the query selects the model, `name` is the name of one of the table's columns. If no
  /// selected column has that name, the query throws `QueryError` when it is rendered.
  public consuming func order(
    byColumn name: String, _ direction: SortDirection = .ascending, nulls: NullOrder? = nil
  ) -> Self {
    order(select.statement.resultColumn(named: name), direction, nulls)
  }

  /// Orders the rows by an expression. If the query already has terms of ORDER BY, the expression
  /// comes after these terms.
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
  /// The new limit replaces an earlier limit; nil removes the limit. A negative `count` throws
  /// `QueryError` when the query is rendered.
  @inlinable
  public consuming func limit(_ count: Int?) -> Self {
    select.statement.setLimit(count)
    return self
  }

  /// Limits the number of rows by an expression, such as a parameter of a prepared query or a
  /// subquery. SQL: `LIMIT a`
  ///
  /// The expression replaces an earlier limit, and cannot name columns of the query. If the
  /// expression is a parameter, a negative argument throws `QueryError`. Any other negative value
  /// means no limit, as in SQL. NULL throws `DatabaseError`.
  public consuming func limit(_ count: SQLExpression<Int>) -> Self {
    select.statement.setLimit(count)
    return self
  }

  /// Skips the number of rows that an expression gives, such as a parameter of a prepared query or
  /// a subquery. SQL: `OFFSET a`
  ///
  /// The expression replaces an earlier offset, and cannot name columns of the query. If the
  /// expression is a parameter, a negative argument throws `QueryError`. Any other negative value
  /// skips no row, as in SQL. NULL throws `DatabaseError`.
  public consuming func offset(_ count: SQLExpression<Int>) -> Self {
    select.statement.setOffset(count)
    return self
  }

  /// Skips the first `count` rows. SQL: `OFFSET ?`
  ///
  /// The new offset replaces an earlier offset; nil removes the offset. A negative `count` throws
  /// `QueryError` when the query is rendered.
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

  /// Restricts the result to groups that match all predicates of the closure.
  /// SQL: `HAVING count(*) > ?`
  public consuming func having(
    @PredicateBuilder _ predicates: (Columns<M>) -> PredicateLines
  ) -> Self {
    select.statement.having.append(contentsOf: predicates(columns).nodes)
    return self
  }
}

extension TableQuery {
  /// Groups by an expression; `select` can then use aggregates. SQL: `GROUP BY length("title")`
  ///
  /// ```swift
  /// Post.group { $0.$title.length() }.select { ($0.$title.length(), $0.count()) }
  /// // SELECT length("title"), count(*) FROM "Post" GROUP BY length("title")
  /// ```
  public consuming func group<Value: ColumnValue>(
    by expression: (Columns<M>) -> SQLExpression<Value>
  ) -> Self {
    select.statement.groups.append(expression(columns).collatedNode)
    return self
  }

  /// Groups by several expressions. SQL: `GROUP BY "status", length("title")`
  public consuming func group<each Value: ColumnValue>(
    by expressions: (Columns<M>) -> (repeat SQLExpression<each Value>)
  ) -> Self {
    for expression in repeat each expressions(columns) {
      select.statement.groups.append(expression.collatedNode)
    }
    return self
  }
}

extension TableModel {
  /// Returns a query that groups rows by the values of columns. SQL: `GROUP BY a, b`
  public static func group<each Value: ColumnValue>(
    by columns: repeat KeyPath<Self, ColumnReference<each Value>>
  ) -> TableQuery<Self, Self> {
    all.group(by: repeat each columns)
  }

  /// Returns a query that groups rows by the value of an expression. SQL:
  /// `GROUP BY length("title")`
  public static func group<Value: ColumnValue>(
    by expression: (Columns<Self>) -> SQLExpression<Value>
  ) -> TableQuery<Self, Self> {
    all.group(by: expression)
  }

  /// Returns a query that groups rows by the values of several expressions. SQL:
  /// `GROUP BY "status", length("title")`
  public static func group<each Value: ColumnValue>(
    by expressions: (Columns<Self>) -> (repeat SQLExpression<each Value>)
  ) -> TableQuery<Self, Self> {
    all.group(by: expressions)
  }
}

// A query that finds rows can also update or delete them. The update or the deletion takes over the
// conditions, the order and the limit of the query.

extension TableQuery where M: TableModel, Row == M {
  /// Returns an update of the rows that the query finds.
  ///
  /// ```swift
  /// let drafts = Post.where { $0.$status == .draft }
  /// try db.run(drafts.update { $0.$views = 0 })
  /// // UPDATE "Post" SET "views" = ? WHERE "status" = ?
  /// ```
  /// The order of the query has an effect only if the query or the command has a limit or an
  /// offset. A query that is grouped or distinct, or that has another table in FROM, throws
  /// `QueryError` when the statement runs.
  public func update(_ assign: (inout Assignments<M>) -> Void) -> Update<M> {
    var assignments = Assignments(columns)
    assign(&assignments)
    return Update(
      columns: columns, assignments: assignments.list,
      rows: AffectedRows(of: select.statement, M.self))
  }

  /// Returns a deletion of the rows that the query finds.
  ///
  /// ```swift
  /// try db.run(Post.where { $0.$status == .draft }.order(by: \.$createdAt).limit(10).delete())
  /// // DELETE FROM "Post" WHERE "id" IN
  /// //   (SELECT "id" FROM "Post" WHERE "status" = ? ORDER BY "createdAt" LIMIT ?)
  /// ```
  /// The order of the query has an effect only if the query or the command has a limit or an
  /// offset. A query that is grouped or distinct, or that has another table in FROM, throws
  /// `QueryError` when the statement runs.
  public func delete() -> Delete<M> {
    Delete(columns: columns, rows: AffectedRows(of: select.statement, M.self))
  }
}

extension AffectedRows {
  /// Creates the description of the rows that a command changes. It has the conditions, the order
  /// and the limit of a query.
  fileprivate init<M: TableModel>(of statement: SelectStatement, _ model: M.Type) {
    predicates = statement.predicates
    (limit, offset) = (statement.limit, statement.offset)
    // Keep the order even if the query has no limit, because the command may get a limit later.
    order = statement.order
    hasOrderOfQuery = !order.isEmpty
    let content = statement.extras?.content ?? SelectExtras.Content()
    counts = (content.limit, content.offset)
    problem = content.problem
    let isPlain =
      content.isPlain && content.joins.isEmpty && content.groups.isEmpty && content.having.isEmpty
    if problem == nil, !isPlain || statement.isDistinct {
      problem = QueryError(
        "a command changes rows of \(M.tableName) itself, so its query cannot have groups, "
          + "DISTINCT or other tables; choose the rows by their keys: "
          + ".where { $0.$id.isIn(query.select(\\.$id)) }")
    }
  }
}
