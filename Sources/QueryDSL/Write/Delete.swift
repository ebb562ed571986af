import SQLCore

/// A deletion of rows in the database, without loading them.
///
/// ```swift
/// Post.delete().where { $0.$status == .archived }
/// // DELETE FROM "Post" WHERE "status" = ?
/// ```
/// - SeeAlso: <https://www.sqlite.org/lang_delete.html>
public struct Delete<M: Model>: Sendable {
  /// The columns of the table whose rows it deletes.
  public let columns: Columns<M>
  var rows = AffectedRows()

  /// The SQL that it becomes, with its values; throws `QueryError` where it cannot be SQL.
  public var sql: SQL {
    get throws { try rendered() }
  }

  /// Only rows for which each line holds; without it, every row. SQL: `WHERE a AND b`
  public consuming func `where`(
    @PredicateBuilder _ lines: (Columns<M>) -> PredicateLines
  ) -> Self {
    rows.predicates.append(contentsOf: lines(columns).nodes)
    return self
  }

  /// The order in which rows count towards the limit.
  ///
  /// ```swift
  /// Post.delete().order(by: \.$createdAt).limit(100)      // the 100 oldest
  /// // DELETE FROM "Post" WHERE "id" IN (SELECT "id" FROM "Post" ORDER BY "createdAt" LIMIT ?)
  /// ```
  public consuming func order<Value: ColumnValue>(
    by column: KeyPath<M, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> Self {
    rows.addOrder(columns[dynamicMember: column].node, direction, nulls)
    return self
  }

  /// The order in which rows count towards the limit, by an expression.
  public consuming func order<Value: ColumnValue>(
    _ direction: SortDirection = .ascending, nulls: NullOrder? = nil,
    by expression: (Columns<M>) -> SQLExpression<Value>
  ) -> Self {
    rows.addOrder(expression(columns).node, direction, nulls)
    return self
  }

  /// At most so many rows, the first of the order. SQL: `WHERE "id" IN (SELECT … LIMIT ?)`
  public consuming func limit(_ count: Int) -> Self {
    rows.setLimit(count)
    return self
  }
}

extension Model {
  /// A deletion of rows in the database.
  public static func delete() -> Delete<Self> {
    Delete(columns: Columns())
  }
}

extension Delete: TableCommand, ModelCommand {
  package func write<Sink: QuerySink>(to sink: inout Sink) throws {
    try sink.openScope(columns.table, [], nil)
    try sink.token(.deleteFrom)
    try sink.tableName(columns.table)
    try rows.write(of: columns.table, layout, to: &sink)
  }

  var layout: ModelLayout {
    get throws { try M.layout }
  }

  var assignedColumns: [String]? { nil }
}
