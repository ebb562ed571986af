import SQLCore

extension Query {
  /// Replaces the selected items of the query. The closure has one item on each line, or several as
  /// a tuple. SQL: `SELECT a, b`
  ///
  /// ```swift
  /// feed.select { (post: Columns<Post>) in post.count() }
  /// // SELECT count(*) FROM "Post" JOIN "Author" ON …
  /// ```
  /// As in `where`, each parameter of the closure stands for a table of the query. If there is no
  /// such table, the query throws `QueryError` when it is rendered.
  public consuming func select<NewRow, each Table: TableColumns>(
    @SelectBuilder _ items: (repeat each Table) -> _Selection<NewRow>
  ) -> Query<NewRow> {
    let tables = _QueryTables(of: statement)
    let (terms, decoding) = SelectStatement.clause(of: items(repeat (each Table)(_from: tables)))
    return selecting(terms, decoding, tables.problem)
  }

  /// Replaces the selected items of the query by the item that a closure returns. SQL: `SELECT a`
  @_disfavoredOverload
  public consuming func select<Item: Selectable, each Table: TableColumns>(
    _ item: (repeat each Table) -> Item
  ) -> Query<Item.Selected> {
    let tables = _QueryTables(of: statement)
    let (terms, decoding) = item(repeat (each Table)(_from: tables)).selectClause
    return selecting(terms, decoding, tables.problem)
  }

  /// Replaces the selected items of the query by the items of a tuple that a closure returns.
  /// SQL: `SELECT a, b`
  @_disfavoredOverload
  public consuming func select<each Item: Selectable, each Table: TableColumns>(
    @_TupleBuilder _ items: (repeat each Table) -> (repeat each Item)
  ) -> Query<(repeat (each Item).Selected)> {
    let tables = _QueryTables(of: statement)
    let items = items(repeat (each Table)(_from: tables))
    let (terms, decoding) = SelectStatement.tuple(repeat each items)
    return selecting(terms, decoding, tables.problem)
  }

  /// Replaces the selected items of the query by expressions that are read into the properties of a
  /// struct. Each expression must have the name of a property. SQL: `SELECT a AS "name", b AS …`
  ///
  /// As in `where`, each parameter of the closure stands for a table of the query. If there is no
  /// such table, the query throws `QueryError` when it is rendered.
  public consuming func select<NewRow: ResultRow, Items, each Table: TableColumns>(
    @SelectBuilder _ items: (repeat each Table) -> _Selection<Items>, into row: NewRow.Type
  ) -> Query<NewRow> {
    let tables = _QueryTables(of: statement)
    var selection = RowSelection()
    let selected = SelectItem.list(of: items(repeat (each Table)(_from: tables)))
    for item in selected { selection.append(item) }
    let (terms, problem) = selection.terms(into: row)
    return selecting(terms, NewRow.decoding, tables.problem ?? problem)
  }

  /// Adds items after those that the query already selects. The rows become longer tuples.
  /// SQL: `SELECT a, b, c`
  ///
  /// ```swift
  /// feed.selectAlso { (post: Columns<Post>) in post.$views }     // (String, String, Int)
  /// ```
  /// As in `where`, each parameter of the closure stands for a table of the query. If there is no
  /// such table, the query throws `QueryError` when it is rendered.
  public consuming func selectAlso<each Old, each New, each Table: TableColumns>(
    @SelectBuilder _ items: (repeat each Table) -> _Selection<(repeat each New)>
  ) -> Query<(repeat each Old, repeat each New)> where Row == (repeat each Old) {
    let tables = _QueryTables(of: statement)
    let items = SelectItem.list(of: items(repeat (each Table)(_from: tables)))
    var statement = statement
    let longer: RowDecoding<(repeat each Old, repeat each New)> = statement.selectAlso(
      items, after: decoding)
    statement.note(tables.problem)
    return Query<(repeat each Old, repeat each New)>(statement: statement, decoding: longer)
  }

  /// Adds the items of a tuple that a closure returns, after the items that the query already
  /// selects. The rows become longer tuples. SQL: `SELECT a, b, c`
  @_disfavoredOverload
  public consuming func selectAlso<each Old, each Item: Selectable, each Table: TableColumns>(
    @_TupleBuilder _ items: (repeat each Table) -> (repeat each Item)
  ) -> Query<(repeat each Old, repeat (each Item).Selected)> where Row == (repeat each Old) {
    let tables = _QueryTables(of: statement)
    let items = items(repeat (each Table)(_from: tables))
    var statement = statement
    let longer: RowDecoding<(repeat each Old, repeat (each Item).Selected)> = statement.selectAlso(
      SelectItem.list(repeat each items), after: decoding)
    statement.note(tables.problem)
    return Query<(repeat each Old, repeat (each Item).Selected)>(
      statement: statement, decoding: longer)
  }

  private consuming func selecting<NewRow>(
    _ terms: [SelectStatement.SelectTerm], _ decoding: RowDecoding<NewRow>, _ problem: QueryError?
  ) -> Query<NewRow> {
    var statement = statement
    statement.selection = .terms(terms)
    statement.note(problem)
    return Query<NewRow>(statement: statement, decoding: decoding)
  }
}
