import SQLCore

extension TableQuery {
  /// Adds columns after those that the query already selects. The rows become longer tuples.
  /// SQL: `SELECT a, b, c`
  ///
  /// ```swift
  /// let titles = Post.select(\.$id, \.$title)          // (Post.ID, String)
  /// titles.selectAlso(\.$views)                        // (Post.ID, String, Int)
  /// Post.all.selectAlso(\.$views)                      // (Post, Int)
  /// ```
  public consuming func selectAlso<each Old, each Value: ColumnValue>(
    _ columns: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> TableQuery<M, (repeat each Old, repeat each Value)> where Row == (repeat each Old) {
    let table = self.columns
    var statement = select.statement
    let longer: RowDecoding<(repeat each Old, repeat each Value)> = statement.selectAlso(
      SelectItem.list(repeat table[dynamicMember: each columns]), after: select.decoding)
    return TableQuery<M, (repeat each Old, repeat each Value)>(
      query: Query(statement: statement, decoding: longer), columns: table)
  }

  /// Adds expressions after the columns that the query already selects. The rows become longer
  /// tuples. SQL: `SELECT a, b, length(c)`
  ///
  /// ```swift
  /// titles.selectAlso { $0.$title.length() }           // (Post.ID, String, Int)
  /// ```
  public consuming func selectAlso<each Old, each New>(
    @SelectBuilder _ items: (Columns<M>) -> _Selection<(repeat each New)>
  ) -> TableQuery<M, (repeat each Old, repeat each New)> where Row == (repeat each Old) {
    let items = SelectItem.list(of: items(columns))
    let table = columns
    var statement = select.statement
    let longer: RowDecoding<(repeat each Old, repeat each New)> = statement.selectAlso(
      items, after: select.decoding)
    return TableQuery<M, (repeat each Old, repeat each New)>(
      query: Query(statement: statement, decoding: longer), columns: table)
  }

  /// Selects the expressions of a tuple that a closure returns, after the columns of the query.
  /// SQL: `SELECT a, b, length(c)`
  @_disfavoredOverload
  public consuming func selectAlso<each Old, each Item: Selectable>(
    @_TupleBuilder _ items: (Columns<M>) -> (repeat each Item)
  ) -> TableQuery<M, (repeat each Old, repeat (each Item).Selected)>
  where Row == (repeat each Old) {
    let items = items(columns)
    let table = columns
    var statement = select.statement
    let longer: RowDecoding<(repeat each Old, repeat (each Item).Selected)> = statement.selectAlso(
      SelectItem.list(repeat each items), after: select.decoding)
    return TableQuery<M, (repeat each Old, repeat (each Item).Selected)>(
      query: Query(statement: statement, decoding: longer), columns: table)
  }
}
