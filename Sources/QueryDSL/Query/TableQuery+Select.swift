import SQLCore

extension TableQuery {
  /// Selects one column instead of the model. SQL: `SELECT a`
  public consuming func select<Value: ColumnValue>(
    _ column: KeyPath<M, ColumnReference<Value>>
  ) -> TableQuery<M, Value> {
    select { $0[dynamicMember: column] }
  }

  /// Selects a group of columns instead of the model. SQL: `SELECT a_b, a_c`
  public consuming func select<Group: _ColumnGroupValue>(
    _ group: KeyPath<M, GroupReference<Group>>
  ) -> TableQuery<M, Group> {
    select { $0[dynamicMember: group] }
  }

  /// Selects several columns instead of the model, as a tuple. SQL: `SELECT a, b`
  public consuming func select<each Value: ColumnValue>(
    _ columns: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> TableQuery<M, (repeat each Value)> {
    let table = self.columns
    return selecting(repeat table[dynamicMember: each columns])
  }

  /// Selects one expression instead of the model. SQL: `SELECT max(a)`
  public consuming func select<Item: Selectable>(
    _ item: (Columns<M>) -> Item
  ) -> TableQuery<M, Item.Selected> {
    let (terms, decoding) = item(columns).selectClause
    return selecting(terms, decoding)
  }

  /// Selects several expressions instead of the model, as a tuple. SQL: `SELECT a, count(*)`
  public consuming func select<each Item: Selectable>(
    _ items: (Columns<M>) -> (repeat each Item)
  ) -> TableQuery<M, (repeat (each Item).Selected)> {
    let items = items(columns)
    return selecting(repeat each items)
  }

  /// Selects the columns of a struct instead of the model, found by their names.
  ///
  /// ```swift
  /// struct Headline: ResultRow {
  ///   @Column var id: Post.ID
  ///   @Column var title: String
  /// }
  /// Post.select(into: Headline.self)     // SELECT "id" AS "id", "title" AS "title" FROM "Post"
  /// ```
  /// A property throws `QueryError` when the query is rendered if it is not a column of the model,
  /// or if it is of another type.
  public consuming func select<NewRow: ResultRow>(into row: NewRow.Type) -> TableQuery<M, NewRow> {
    var selection = RowSelection()
    selection.append(columns)
    let (terms, problem) = selection.terms(into: row, ignoringOthers: true)
    var query = selecting(terms, NewRow.decoding)
    query.select.statement.note(problem)
    return query
  }

  /// Selects several items instead of what is selected, as a tuple.
  consuming func selecting<each Item: Selectable>(
    _ items: repeat each Item
  ) -> TableQuery<M, (repeat (each Item).Selected)> {
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
      query: Query(statement: statement, decoding: decoding), columns: columns)
  }
}
