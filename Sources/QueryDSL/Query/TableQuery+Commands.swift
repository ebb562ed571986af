import SQLCore

// A query that finds rows can also change them. The command takes the conditions, the order and the
// limit of the query.

extension TableQuery where M: TableModel, Row == M {
  /// Returns an update of the rows that the query finds.
  ///
  /// ```swift
  /// let drafts = Post.where { $0.$status == .draft }
  /// try db.run(drafts.update { $0.$views = 0 })
  /// // UPDATE "Post" SET "views" = ? WHERE "status" = ?
  /// ```
  /// The order matters only if the query or the command has a limit. A query that is grouped,
  /// distinct, has an offset, or has another table in FROM throws `QueryError` when the statement
  /// runs.
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
  /// The order matters only if the query or the command has a limit. A query that is grouped,
  /// distinct, has an offset, or has another table in FROM throws `QueryError` when the statement
  /// runs.
  public func delete() -> Delete<M> {
    Delete(columns: columns, rows: AffectedRows(of: select.statement, M.self))
  }
}

extension AffectedRows {
  /// Takes the rows that a SELECT over the table of a model finds.
  fileprivate init<M: TableModel>(of statement: SelectStatement, _ model: M.Type) {
    predicates = statement.predicates
    limit = statement.limit
    // The limit may be given to the command later.
    order = statement.order
    hasOrderOfQuery = !order.isEmpty
    let content = statement.extras?.content ?? SelectExtras.Content()
    problem = content.problem
    let isPlain =
      content.isPlain && content.joins.isEmpty && content.groups.isEmpty && content.having.isEmpty
    if problem == nil, !isPlain || statement.isDistinct || statement.offset != nil {
      problem = QueryError(
        "a command changes rows of \(M.tableName) itself, so its query cannot have groups, "
          + "DISTINCT, OFFSET or other tables; choose the rows by their keys: "
          + ".where { $0.$id.isIn(query.select(\\.$id)) }")
    }
  }
}
