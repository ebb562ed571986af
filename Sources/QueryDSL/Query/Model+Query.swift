import SQLCore

extension Model {
  /// Every row of the table.
  @inlinable
  public static var all: TableQuery<Self, Self> {
    let columns = Columns<Self>()
    return TableQuery(
      request: Request(
        statement: SelectStatement(selection: .table(columns.table), from: columns.table),
        decoding: decoding),
      columns: columns)
  }

  /// The rows for which each line holds. SQL: `WHERE a AND b`
  @inlinable
  public static func `where`(
    @PredicateBuilder _ predicates: (Columns<Self>) -> PredicateLines
  ) -> TableQuery<Self, Self> {
    all.where(predicates)
  }

  /// Every row, ordered by a column. SQL: `ORDER BY a`
  @inlinable
  public static func order<Value: ColumnValue>(
    by column: KeyPath<Self, ColumnReference<Value>>, _ direction: SortDirection = .ascending,
    nulls: NullOrder? = nil
  ) -> TableQuery<Self, Self> {
    all.order(by: column, direction, nulls: nulls)
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

  /// The columns that a struct has, found by their names.
  public static func select<NewRow: ResultRow>(
    into row: NewRow.Type
  ) -> TableQuery<Self, NewRow> {
    all.select(into: row)
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
