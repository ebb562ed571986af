import SQLCore

extension TableQuery {
  /// Selects one column instead of the model. SQL: `SELECT a`
  @_disfavoredOverload
  public consuming func select<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) -> TableQuery<M, Value> {
    select { $0[dynamicMember: column] }
  }

  /// Selects a group of columns instead of the model. SQL: `SELECT a_b, a_c`
  @_disfavoredOverload
  public consuming func select<Group: _ColumnGroupValue>(
    _ group: KeyPath<M, GroupReference<Group>>
  ) -> TableQuery<M, Group> {
    select { $0[dynamicMember: group] }
  }

  /// Selects several columns instead of the model, as a tuple. SQL: `SELECT a, b`
  @_disfavoredOverload
  public consuming func select<First: ColumnValue, each Value: ColumnValue>(
    _ first: KeyPath<M, ColumnReference<First>>,
    _ others: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> TableQuery<M, (First, repeat each Value)> {
    let table = self.columns
    return selecting(table[dynamicMember: first], repeat table[dynamicMember: each others])
  }

  /// Selects, instead of the model, the expressions that a closure lists, one on each line or
  /// several as a tuple.
  /// SQL: `SELECT a, count(*)`
  ///
  /// ```swift
  /// Post.group(by: \.$status).select {
  ///   $0.$status
  ///   $0.count()
  /// }
  /// // SELECT "status", count(*) FROM "Post" GROUP BY "status"
  /// ```
  public consuming func select<NewRow>(
    @SelectBuilder _ items: (Columns<M>) -> _Selection<NewRow>
  ) -> TableQuery<M, NewRow> {
    selecting(SelectStatement.clause(of: items(columns)))
  }

  /// Replaces the selected model by the expression that a closure returns. SQL: `SELECT max(a)`
  @_disfavoredOverload
  public consuming func select<Item: Selectable>(
    _ item: (Columns<M>) -> Item
  ) -> TableQuery<M, Item.Selected> {
    selecting(item(columns).selectClause)
  }

  /// Replaces the selected model by the expressions of a tuple that a closure returns.
  /// SQL: `SELECT a, count(*)`
  @_disfavoredOverload
  public consuming func select<each Item: Selectable>(
    @_TupleBuilder _ items: (Columns<M>) -> (repeat each Item)
  ) -> TableQuery<M, (repeat (each Item).Selected)> {
    let items = items(columns)
    return selecting(repeat each items)
  }

  /// Reads rows as a struct instead of the model, and selects the columns that the struct names.
  ///
  /// ```swift
  /// struct Headline: ResultRow {
  ///   @Column var id: Post.ID
  ///   @Column var title: String
  /// }
  /// Post.select(into: Headline.self)     // SELECT "id" AS "id", "title" AS "title" FROM "Post"
  /// ```
  /// If a property of the struct is not a column of the model, or has another type, the query
  /// throws `QueryError` when it is rendered.
  public consuming func select<NewRow: ResultRow>(into row: NewRow.Type) -> TableQuery<M, NewRow> {
    var selection = RowSelection()
    selection.append(columns)
    let (terms, problem) = selection.terms(into: row, ignoringOthers: true)
    var query = selecting((terms, NewRow.decoding))
    query.select.statement.note(problem)
    return query
  }

  /// Selects expressions instead of the model, and reads their values as a struct. Each expression
  /// needs the name of one of the struct's properties. SQL: `SELECT a AS "name", b AS …`
  ///
  /// ```swift
  /// Post.group(by: \.$status).select({
  ///   $0.$status
  ///   $0.count().as("posts")
  /// }, into: Total.self)
  /// ```
  /// A column already has the name of its property. Any other expression gets a name by `as`. Each
  /// property of the struct needs exactly one item with its name and type, and each item needs a
  /// property. Otherwise the query throws `QueryError` when it is rendered.
  public consuming func select<NewRow: ResultRow, Items>(
    @SelectBuilder _ items: (Columns<M>) -> _Selection<Items>, into row: NewRow.Type
  ) -> TableQuery<M, NewRow> {
    var selection = RowSelection()
    for item in SelectItem.list(of: items(columns)) { selection.append(item) }
    let (terms, problem) = selection.terms(into: row)
    var query = selecting((terms, NewRow.decoding))
    query.select.statement.note(problem)
    return query
  }

  /// Selects several items as a tuple, instead of the columns that the query has selected so far.
  consuming func selecting<each Item: Selectable>(
    _ items: repeat each Item
  ) -> TableQuery<M, (repeat (each Item).Selected)> {
    selecting(SelectStatement.tuple(repeat each items))
  }

  /// Selects the terms of a clause, instead of the columns that the query has selected so far. The
  /// clause also has the decoding that reads the terms.
  consuming func selecting<NewRow>(
    _ clause: ([SelectStatement.SelectTerm], RowDecoding<NewRow>)
  ) -> TableQuery<M, NewRow> {
    let columns = columns
    var statement = select.statement
    statement.selection = .terms(clause.0)
    return TableQuery<M, NewRow>(
      query: Query(statement: statement, decoding: clause.1), columns: columns)
  }
}
