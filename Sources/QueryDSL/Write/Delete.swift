import SQLCore

/// A deletion of rows in the database, without loading them.
///
/// ```swift
/// Post.delete().where { $0.$status == .archived }
/// // DELETE FROM "Post" WHERE "status" = ?
/// ```
/// - SeeAlso: <https://www.sqlite.org/lang_delete.html>
public struct Delete<M: TableModel>: Sendable {
  let columns: Columns<M>
  var rows = AffectedRows()

  /// The columns of the table; programs do not use it directly.
  public var _columns: Columns<M> { columns }

  /// The SQL of the statement, with its values. Throws `QueryError` if the statement is invalid.
  public var sql: SQL {
    get throws { try rendered() }
  }

  /// Deletes only the rows that match all conditions in the closure, one on each line. Without
  /// `where`, every row is deleted.
  /// SQL: `WHERE a AND b`
  public consuming func `where`(
    @PredicateBuilder _ lines: (Columns<M>) -> PredicateLines
  ) -> Self {
    rows.predicates.append(contentsOf: lines(columns).nodes)
    return self
  }

  /// Sets the order of the rows for `limit` and `offset`.
  ///
  /// ```swift
  /// Post.delete().order(by: \.$createdAt).limit(100)      // the 100 oldest
  /// // DELETE FROM "Post" WHERE "id" IN (SELECT "id" FROM "Post" ORDER BY "createdAt" LIMIT ?)
  /// ```
  /// A statement with an order, but with no limit and no offset, throws `QueryError` when it runs.
  public consuming func order<Value: ColumnValue>(
    by column: KeyPath<M, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> Self {
    rows.addOrder(columns[dynamicMember: column], direction, nulls)
    return self
  }

  /// Sets the order of the rows for `limit` and `offset`, by an expression.
  public consuming func order<Value: ColumnValue>(
    by expression: (Columns<M>) -> SQLExpression<Value>,
    _ direction: SortDirection = .ascending, nulls: NullOrder? = nil
  ) -> Self {
    rows.addOrder(expression(columns), direction, nulls)
    return self
  }

  /// Deletes only the first `count` rows, in the order that `order` sets.
  /// SQL: `WHERE "id" IN (SELECT … LIMIT ?)`
  ///
  /// A negative limit or a second limit throws `QueryError` when the statement runs.
  public consuming func limit(_ count: Int) -> Self {
    rows.setLimit(count)
    return self
  }

  /// Keeps the first `count` rows, in the order that `order` sets.
  /// SQL: `WHERE "id" IN (SELECT … LIMIT -1 OFFSET ?)`
  ///
  /// A negative offset or a second offset throws `QueryError` when the statement runs.
  public consuming func offset(_ count: Int) -> Self {
    rows.setOffset(count)
    return self
  }
}

extension TableModel {
  /// Returns a deletion of rows in the database, without loading them. SQL: `DELETE FROM "Post"`
  public static func delete() -> Delete<Self> {
    Delete(columns: Columns())
  }
}

extension Delete: TableCommand, ModelCommand {
  package func write(to writer: inout ShapeWriter) throws {
    writer.openScope(columns.table, [], nil)
    writer.token(.deleteFrom)
    writer.tableName(columns.table)
    try rows.write(of: columns.table, layout, to: &writer)
  }

  var layout: ModelLayout {
    get throws { try M.layout }
  }

  var assignedColumns: [String]? { nil }
}
