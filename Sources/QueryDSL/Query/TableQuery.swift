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
    @PredicateBuilder _ predicates: (Columns<M>) -> [SQLPredicate]
  ) -> Self {
    select.statement.add(predicates(columns))
    return self
  }

  /// Orders by a column, after what was ordered by before. SQL: `ORDER BY a DESC`
  @inlinable
  @inline(__always)
  public consuming func order<Value: ColumnValue>(
    by column: KeyPath<M, ColumnReference<Value>>, _ direction: SortDirection = .ascending
  ) -> Self {
    order(columns[dynamicMember: column].node, direction)
  }

  /// Orders by an expression. SQL: `ORDER BY a + b`
  @inlinable
  public consuming func order<Value: ColumnValue>(
    _ direction: SortDirection = .ascending,
    by expression: (Columns<M>) -> SQLExpression<Value>
  ) -> Self {
    order(expression(columns).node, direction)
  }

  @inlinable
  consuming func order(_ node: ExpressionNode, _ direction: SortDirection) -> Self {
    select.statement.addOrder(node, direction)
    return self
  }

  /// At most so many rows; said twice, it throws `QueryError` when the query is rendered.
  @inlinable
  public consuming func limit(_ count: Int) -> Self {
    select.statement.setLimit(count)
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

  /// Groups by a column; `select` then takes aggregates. SQL: `GROUP BY a`
  public consuming func group<Value: ColumnValue>(
    by column: KeyPath<M, ColumnReference<Value>>
  ) -> Self {
    select.statement.groups.append(columns[dynamicMember: column].node)
    return self
  }
}

/// Upwards or downwards.
public enum SortDirection: Sendable {
  /// The least first; NULL before everything.
  case ascending
  /// The greatest first; NULL behind everything.
  case descending
}

extension TableQuery {
  /// One column instead of the model. SQL: `SELECT a`
  public consuming func select<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) -> TableQuery<M, Value> {
    select { $0[dynamicMember: column] }
  }

  /// Several columns instead of the model, as a tuple. SQL: `SELECT a, b`
  public consuming func select<each Value: ColumnValue>(
    _ columns: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> TableQuery<M, (repeat each Value)> {
    let table = self.columns
    let (terms, decoding) = SelectStatement.tuple(
      repeat table[dynamicMember: each columns])
    return selecting(terms, decoding)
  }

  /// One expression instead of the model. SQL: `SELECT max(a)`
  public consuming func select<Item: Selectable>(
    _ item: (Columns<M>) -> Item
  ) -> TableQuery<M, Item.Output> {
    let selection = item(columns).selection
    return selecting([selection.term], .rows(columns: selection.columns, selection.read))
  }

  /// Several expressions instead of the model, as a tuple. SQL: `SELECT a, count(*)`
  public consuming func select<each Item: Selectable>(
    _ items: (Columns<M>) -> (repeat each Item)
  ) -> TableQuery<M, (repeat (each Item).Output)> {
    let items = items(columns)
    let (terms, decoding) = SelectStatement.tuple(repeat each items)
    return selecting(terms, decoding)
  }

  private consuming func selecting<NewRow>(
    _ terms: [SelectStatement.SelectTerm], _ decoding: RowDecoding<NewRow>
  ) -> TableQuery<M, NewRow> {
    let columns = columns
    var statement = select.statement
    statement.selection = .terms(terms)
    return TableQuery<M, NewRow>(
      request: Request(statement: statement, decoding: decoding), columns: columns)
  }
}

extension Model {
  /// Every row of the table.
  @inlinable
  public static var all: TableQuery<Self, Self> {
    let columns = Columns<Self>(source: 0)
    return TableQuery(
      request: Request(
        statement: SelectStatement(selection: .table(columns.table), from: columns.table),
        decoding: decoding),
      columns: columns)
  }

  /// The rows for which each line holds. SQL: `WHERE a AND b`
  @inlinable
  public static func `where`(
    @PredicateBuilder _ predicates: (Columns<Self>) -> [SQLPredicate]
  ) -> TableQuery<Self, Self> {
    all.where(predicates)
  }

  /// Every row, ordered by a column. SQL: `ORDER BY a`
  @inlinable
  public static func order<Value: ColumnValue>(
    by column: KeyPath<Self, ColumnReference<Value>>, _ direction: SortDirection = .ascending
  ) -> TableQuery<Self, Self> {
    all.order(by: column, direction)
  }

  /// At most so many rows. SQL: `LIMIT n`
  @inlinable
  public static func limit(_ count: Int) -> TableQuery<Self, Self> {
    all.limit(count)
  }

  /// One column of every row. SQL: `SELECT a`
  public static func select<Value: ColumnValue>(
    _ column: KeyPath<Self, ColumnReference<Value>>
  ) -> TableQuery<Self, Value> {
    all.select(column)
  }

  /// Several columns of every row, as a tuple. SQL: `SELECT a, b`
  public static func select<each Value: ColumnValue>(
    _ columns: repeat KeyPath<Self, ColumnReference<each Value>>
  ) -> TableQuery<Self, (repeat each Value)> {
    all.select(repeat each columns)
  }

  /// One expression. SQL: `SELECT max(a)`
  public static func select<Item: Selectable>(
    _ item: (Columns<Self>) -> Item
  ) -> TableQuery<Self, Item.Output> {
    all.select(item)
  }

  /// Several expressions, as a tuple. SQL: `SELECT a, count(*)`
  public static func select<each Item: Selectable>(
    _ items: (Columns<Self>) -> (repeat each Item)
  ) -> TableQuery<Self, (repeat (each Item).Output)> {
    all.select(items)
  }
}

extension SelectStatement {
  /// The limit, once; a negative one, which SQL takes for none, is refused.
  @usableFromInline
  mutating func setLimit(_ count: Int) {
    if limit != nil { problem = problem ?? QueryError("LIMIT is given twice") }
    if count < 0 { problem = problem ?? QueryError("LIMIT is negative: \(count)") }
    limit = BoundValue(count)
  }

  /// The offset, once.
  @usableFromInline
  mutating func setOffset(_ count: Int) {
    if offset != nil { problem = problem ?? QueryError("OFFSET is given twice") }
    if count < 0 { problem = problem ?? QueryError("OFFSET is negative: \(count)") }
    offset = BoundValue(count)
  }
}
