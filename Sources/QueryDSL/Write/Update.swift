import SQLCore

/// An update of rows in the database, without loading them.
///
/// ```swift
/// Post.update { $0.$views += 1 }.where { $0.$id == id }
/// // UPDATE "Post" SET "views" = "views" + ? WHERE "id" = ?
/// ```
/// - SeeAlso: <https://www.sqlite.org/lang_update.html>
public struct Update<M: TableModel>: Sendable {
  let columns: Columns<M>
  let assignments: [Assignment]
  /// Another table or query, whose columns the update may use: `UPDATE … FROM`.
  var source: TableReference?
  var rows = AffectedRows()
  var ignoresConflicts = false

  /// The columns of the table; programs do not use it directly.
  public var _columns: Columns<M> { columns }

  /// The SQL of the statement, with its values. Throws `QueryError` if the statement is invalid.
  public var sql: SQL {
    get throws { try rendered() }
  }

  /// Updates only the rows that match all conditions in the closure, one on each line. Without
  /// `where`, every row is updated.
  /// SQL: `WHERE a AND b`
  public consuming func `where`(
    @PredicateBuilder _ lines: (Columns<M>) -> PredicateLines
  ) -> Self {
    rows.predicates.append(contentsOf: lines(columns).nodes)
    return self
  }

  /// Leaves a row unchanged if its new values would violate a UNIQUE, NOT NULL or CHECK constraint.
  /// SQL: `UPDATE OR IGNORE …`
  ///
  /// ```swift
  /// try db.run(Tag.update { $0.$name = $0.$name.lower() }.orIgnore())    // keeps those that exist
  /// ```
  /// A violated foreign key still throws.
  /// - SeeAlso: <https://www.sqlite.org/lang_conflict.html>
  public consuming func orIgnore() -> Self {
    ignoresConflicts = true
    return self
  }

  /// Sets the order of the rows for `limit` and `offset`.
  ///
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

  /// Updates only the first `count` rows, in the order that `order` sets.
  /// SQL: `WHERE "id" IN (SELECT … LIMIT ?)`
  ///
  /// If the update reads another table, each updated row counts once, even if it matches several
  /// rows of the other table. A negative limit or a second limit throws `QueryError` when the
  /// statement runs.
  public consuming func limit(_ count: Int) -> Self {
    rows.setLimit(count)
    return self
  }

  /// Leaves the first `count` rows unchanged, in the order that `order` sets.
  /// SQL: `WHERE "id" IN (SELECT … LIMIT -1 OFFSET ?)`
  ///
  /// A negative offset or a second offset throws `QueryError` when the statement runs.
  public consuming func offset(_ count: Int) -> Self {
    rows.setOffset(count)
    return self
  }
}

extension TableModel {
  /// Returns an update of rows in the database, without loading them.
  ///
  /// Each line of the closure assigns a column, such as `$0.$views += 1`. The assigned expression
  /// sees the row before the update.
  public static func update(_ assign: (inout Assignments<Self>) -> Void) -> Update<Self> {
    let columns = Columns<Self>()
    var assignments = Assignments(columns)
    assign(&assignments)
    return Update(columns: columns, assignments: assignments.list)
  }

  /// Returns an update of rows in the database with values from another table.
  ///
  /// ```swift
  /// Post.update(from: Author.self) { post, author in
  ///   post.$byline = author.$name
  /// } where: { post, author in
  ///   post.$authorID == author.$id
  /// }
  /// // UPDATE "Post" SET "byline" = "Author"."name" FROM "Author"
  /// //   WHERE "Post"."authorID" = "Author"."id"
  /// ```
  /// If several rows of the other table match the same row, SQLite uses an arbitrary one of them.
  /// - SeeAlso: <https://www.sqlite.org/lang_update.html#update_from>
  public static func update<Source: TableModel>(
    from source: Source.Type,
    _ assign: (inout Assignments<Self>, Columns<Source>) -> Void,
    @PredicateBuilder where predicates: (Columns<Self>, Columns<Source>) -> PredicateLines
  ) -> Update<Self> {
    let other = Columns<Source>()
    return update(from: other._reference, other, assign, predicates)
  }

  /// Returns an update of rows in the database with values from the rows of a query.
  ///
  /// ```swift
  /// Author.update(from: totals) { author, total in
  ///   author.$views = total.$views
  /// } where: { author, total in
  ///   author.$id == total.$authorID
  /// }
  /// // UPDATE "Author" SET "views" = "Total"."views" FROM (SELECT …) AS "Total" WHERE …
  /// ```
  /// If several rows of the query match the same row, SQLite uses an arbitrary one of them.
  public static func update<Source: Fetchable>(
    from query: Source,
    _ assign: (inout Assignments<Self>, Columns<Source.Row>) -> Void,
    @PredicateBuilder where predicates: (Columns<Self>, Columns<Source.Row>) -> PredicateLines
  ) -> Update<Self> where Source.Row: ResultRow {
    let other = Columns<Source.Row>()
    return update(from: query.as(other)._reference, other, assign, predicates)
  }

  private static func update<Other>(
    from source: TableReference, _ other: Columns<Other>,
    _ assign: (inout Assignments<Self>, Columns<Other>) -> Void,
    _ predicates: (Columns<Self>, Columns<Other>) -> PredicateLines
  ) -> Update<Self> {
    let columns = Columns<Self>()
    var assignments = Assignments(columns)
    assign(&assignments, other)
    var update = Update(columns: columns, assignments: assignments.list, source: source)
    update.rows.predicates = predicates(columns, other).nodes
    return update
  }
}

extension Update: TableCommand, ModelCommand {
  package func write(to writer: inout ShapeWriter) throws {
    guard !assignments.isEmpty else {
      throw QueryError("the update of \(M.tableName) assigns no column")
    }
    let joins = source.map {
      [SelectStatement.Join(kind: .inner, table: $0.table, condition: nil)]
    }
    let extras = source.flatMap(SelectExtras.init(source:))
    writer.openScope(columns.table, joins ?? [], extras)
    writer.token(ignoresConflicts ? .updateOrIgnore : .update)
    writer.tableName(columns.table)
    writer.token(.set)
    Assignment.write(assignments, to: &writer)
    if let source {
      writer.token(.from)
      SelectStatement.write(source.table, extras, to: &writer)
    }
    try rows.write(of: columns.table, layout, beside: source, to: &writer)
  }

  var layout: ModelLayout {
    get throws { try M.layout }
  }

  var assignedColumns: [String]? {
    guard let layout = try? layout else { return [] }
    return assignments.compactMap { $0.column.columnID }.map { layout.columns[Int($0.index)].name }
  }
}

extension SelectExtras {
  /// Creates the extras of a statement that has one table in FROM. The extras contain the query or
  /// the function that gives the rows of this table. Returns nil if the table is the table of a
  /// model, which needs no such source.
  convenience init?(source reference: TableReference) {
    guard let source = reference.source else { return nil }
    self.init(Content(sources: [(reference.table, source)]))
  }
}
