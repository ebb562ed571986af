import SQLCore

extension Fetchable where Row: ColumnValue {
  /// Returns the value of the query's first row, as an expression; NULL if the query has no rows.
  ///
  /// A query that does not select exactly one column throws `QueryError` when the outer query is
  /// rendered.
  ///
  /// ```swift
  /// Author.select { author in
  ///   (author.$name, Post.where { $0.$authorID == author.$id }.select { $0.count() }.subquery())
  /// }
  /// // SELECT "name",
  /// //   (SELECT count(*) FROM "Post" WHERE "Post"."authorID" = "Author"."id")
  /// // FROM "Author"
  /// ```
  @_disfavoredOverload
  public func subquery() -> SQLExpression<Row?> {
    let (node, form) = query.subqueryNode
    return SQLExpression<Row?>(node, form: form)
  }

  /// Returns the value of the query's first row, as an expression; NULL if the query has no rows.
  public func subquery<Wrapped: ColumnValue>() -> SQLExpression<Row> where Row == Wrapped? {
    let (node, form) = query.subqueryNode
    return SQLExpression<Row>(node, form: form)
  }
}

extension Fetchable {
  /// Returns a predicate that holds if the query has any row. SQL: `EXISTS (SELECT …)`
  ///
  /// ```swift
  /// Author.where { author in Post.where { $0.$authorID == author.$id }.exists() }
  /// ```
  public func exists() -> SQLPredicate {
    SQLPredicate(.exists(query.statement))
  }
}

extension Fetchable {
  /// Counts the rows of the query, as an expression. SQL: `(SELECT count(*) FROM …)`
  ///
  /// ```swift
  /// Author.select { author in
  ///   (author.$name, Post.where { $0.$authorID == author.$id }.count())
  /// }
  /// // SELECT "name",
  /// //   (SELECT count(*) FROM "Post" WHERE "Post"."authorID" = "Author"."id")
  /// // FROM "Author"
  /// ```
  /// To count the rows of a single query, call `db.count(query)`.
  public func count() -> SQLExpression<Int> {
    SQLExpression<Int>(query.statement.countNode)
  }
}

extension Query {
  /// The selected column, if the query selects exactly one; otherwise nil. It is also nil if a
  /// closure makes the rows, as in `map`.
  var singleColumn: ResultColumn? {
    guard !decoding.isMapped, let columns = try? decoding.columns(), columns.count == 1 else {
      return nil
    }
    return columns[0]
  }

  var notOneColumn: QueryError {
    if decoding.isMapped { return .mapped }
    return QueryError(
      "a query of \(Row.self) is used where a query of one column is needed; select one")
  }

  fileprivate var subqueryNode: (ExpressionNode, StoredForm) {
    guard let column = singleColumn else { return (.invalid(notOneColumn), .standard) }
    return (.subquery(statement), column.form)
  }
}
