import SQLCore

extension TableModel {
  /// A query for all rows of the table. SQL: `SELECT … FROM "Post"`
  @inlinable
  public static var all: TableQuery<Self, Self> {
    let columns = Columns<Self>()
    return TableQuery(
      query: Query(
        statement: SelectStatement(selection: .table(columns.table), from: columns.table),
        decoding: decoding),
      columns: columns)
  }

  /// A query that finds no row, for example for one case of a `switch`. SQL: `WHERE 0`
  public static var none: TableQuery<Self, Self> { all.where { _ in false } }

  /// Returns a query for the rows that match all predicates of the closure. SQL: `WHERE a AND b`
  @inlinable
  public static func `where`(
    @PredicateBuilder _ predicates: (Columns<Self>) -> PredicateLines
  ) -> TableQuery<Self, Self> {
    all.where(predicates)
  }

  /// Returns a query for all rows, ordered by a column. SQL: `ORDER BY a`
  @inlinable
  public static func order<Value: ColumnValue>(
    by column: KeyPath<Self, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> TableQuery<Self, Self> {
    all.order(by: column, direction, nulls: nulls)
  }

  /// Returns a query for all rows, ordered by an expression. SQL: `ORDER BY "likes" + "views"`
  ///
  /// ```swift
  /// Post.order { $0.$likes + $0.$views }
  /// Post.order(by: { $0.$likes + $0.$views }, .descending)
  /// ```
  @inlinable
  public static func order<Value: ColumnValue>(
    by expression: (Columns<Self>) -> SQLExpression<Value>,
    _ direction: SortDirection = .ascending, nulls: NullOrder? = nil
  ) -> TableQuery<Self, Self> {
    all.order(by: expression, direction, nulls: nulls)
  }

  /// Returns a query for at most `count` rows. SQL: `LIMIT ?`
  @inlinable
  public static func limit(_ count: Int) -> TableQuery<Self, Self> {
    all.limit(count)
  }

  /// Returns a query that skips the first `count` rows. SQL: `LIMIT -1 OFFSET ?`
  @inlinable
  public static func offset(_ count: Int) -> TableQuery<Self, Self> {
    all.offset(count)
  }

  /// Returns a query for one column of all rows. SQL: `SELECT a`
  @_disfavoredOverload
  public static func select<Value: ColumnValue>(
    _ column: KeyPath<Self, ColumnReference<Value>>
  ) -> TableQuery<Self, Value> {
    all.select(column)
  }

  /// Returns a query for a group of columns of all rows. SQL: `SELECT a_b, a_c`
  @_disfavoredOverload
  public static func select<Group: _ColumnGroupValue>(
    _ group: KeyPath<Self, GroupReference<Group>>
  ) -> TableQuery<Self, Group> {
    all.select(group)
  }

  /// Returns a query for several columns of all rows, as a tuple. SQL: `SELECT a, b`
  @_disfavoredOverload
  public static func select<First: ColumnValue, each Value: ColumnValue>(
    _ first: KeyPath<Self, ColumnReference<First>>,
    _ others: repeat KeyPath<Self, ColumnReference<each Value>>
  ) -> TableQuery<Self, (First, repeat each Value)> {
    all.select(first, repeat each others)
  }

  /// Returns a query that reads rows as a struct. It selects the columns that have the names of the
  /// struct's properties.
  public static func select<NewRow: ResultRow>(
    into row: NewRow.Type
  ) -> TableQuery<Self, NewRow> {
    all.select(into: row)
  }

  /// Returns a query for expressions, whose values are read as a struct. Each expression needs the
  /// name of one of the struct's properties. SQL: `SELECT a AS "name", b AS …`
  public static func select<NewRow: ResultRow, Items>(
    @SelectBuilder _ items: (Columns<Self>) -> _Selection<Items>, into row: NewRow.Type
  ) -> TableQuery<Self, NewRow> {
    all.select(items, into: row)
  }

  /// Returns a query for the expressions that a closure lists, one on each line or several as a
  /// tuple.
  /// SQL: `SELECT a, count(*)`
  public static func select<NewRow>(
    @SelectBuilder _ items: (Columns<Self>) -> _Selection<NewRow>
  ) -> TableQuery<Self, NewRow> {
    all.select(items)
  }

  /// Returns a query for the expression that a closure returns. SQL: `SELECT max(a)`
  @_disfavoredOverload
  public static func select<Item: Selectable>(
    _ item: (Columns<Self>) -> Item
  ) -> TableQuery<Self, Item.Selected> {
    all.select(item)
  }

  /// Returns a query for the expressions that a closure returns as a tuple.
  /// SQL: `SELECT a, count(*)`
  @_disfavoredOverload
  public static func select<each Item: Selectable>(
    @_TupleBuilder _ items: (Columns<Self>) -> (repeat each Item)
  ) -> TableQuery<Self, (repeat (each Item).Selected)> {
    all.select(items)
  }
}
