import SQLCore

/// The order of the rows that a full-text search finds.
public struct SearchOrder: Sendable {
  /// By relevance: the most relevant rows first. SQL: `ORDER BY "Post_search"."rank"`
  public static let rank = SearchOrder()
}

extension TableModel {
  /// Returns a query for the rows that have all words of a text. The last word may be unfinished.
  ///
  /// ```swift
  /// Post.search("swift conc").order(by: .rank).limit(20)
  /// // SELECT … FROM "Post" JOIN "Post_search"(?) ON "Post"."id" = (+"Post_search"."rowid")
  /// //   ORDER BY "Post_search"."rank" LIMIT ?
  /// ```
  /// The text may come directly from a user. A text without a word finds nothing. If the model
  /// declares no `FullText`, rendering the query throws `QueryError`.
  public static func search(_ text: String) -> TableQuery<Self, Self> {
    all.matching(text)
  }

  /// Returns a query for the rows that a pattern finds.
  public static func search(_ pattern: SearchPattern<Self>) -> TableQuery<Self, Self> {
    all.matching(pattern)
  }
}

extension TableQuery where M: TableModel {
  /// Restricts the result to rows that a full-text search finds.
  ///
  /// ```swift
  /// Post.where { $0.$status == .published }.matching(.phrase("swift concurrency"))
  /// // … FROM "Post" JOIN "Post_search"(?) ON "Post"."id" = (+"Post_search"."rowid") WHERE …
  /// ```
  /// Conditions, joins, orders, limits, groups and relations work as in other queries. If this
  /// method is called twice, both patterns must match, and the rank comes from the last search.
  public consuming func matching(_ pattern: SearchPattern<M>) -> Self {
    let call = columns.search(pattern)
    let hit = Columns<SearchHit<M>>()
    select.statement.changeExtras {
      $0.joins.append(
        SelectStatement.Join(kind: .inner, table: hit.table, condition: call.innerCondition(hit)))
      $0.sources.append((hit.table, call.source))
    }
    return self
  }

  /// Restricts the result to rows that have all words of a text. The last word may be unfinished.
  public consuming func matching(_ text: String) -> Self { matching(.asYouType(text)) }

  /// Orders the found rows by their relevance. Orders from earlier calls come first.
  /// SQL: `ORDER BY "Post_search"."rank"`
  ///
  /// If the query has no search, rendering the query throws `QueryError`.
  public consuming func order(by order: SearchOrder) -> Self {
    let hit = self.hit
    select.statement.addOrder(hit.$rank.node, .ascending, nil)
    return self
  }

  /// Orders the found rows by their relevance, with weights of the columns for this query only.
  /// SQL: `ORDER BY bm25("Post_search", ?, ?)`
  ///
  /// ```swift
  /// Post.search("swift").orderByRank { $0.$title.weighted(5) }.limit(20)
  /// ```
  /// A column that is not listed keeps the weight that the index declares. SQLite sorts the rows;
  /// with `order(by: .rank)`, the index returns them in order.
  public consuming func orderByRank(
    @FullTextBuilder weighing weights: (Columns<M>) -> [FullTextTerm]
  ) -> Self {
    let hit = self.hit
    select.statement.addOrder(hit.rank(weighing: weights).node, .ascending, nil)
    return self
  }

  /// Selects expressions of each row and its hit, one on each line or several as a tuple.
  ///
  /// ```swift
  /// Post.search("swift").order(by: .rank).limit(20).selectHit { post, hit in
  ///   (post, hit.$rank, hit.snippet(of: \.$body))
  /// }
  /// // SELECT …, "Post_search"."rank", ifnull(apus_snippet("Post_search"."Post_search", 1, …), '') …
  /// ```
  /// If the query has no search, rendering the query throws `QueryError`.
  public consuming func selectHit<NewRow>(
    @SelectBuilder _ items: (Columns<M>, Columns<SearchHit<M>>) -> _Selection<NewRow>
  ) -> TableQuery<M, NewRow> {
    let hit = self.hit
    return selecting(SelectStatement.clause(of: items(columns, hit)))
  }

  /// Selects the expression that a closure returns for each row and its hit.
  @_disfavoredOverload
  public consuming func selectHit<Item: Selectable>(
    _ item: (Columns<M>, Columns<SearchHit<M>>) -> Item
  ) -> TableQuery<M, Item.Selected> {
    let hit = self.hit
    return selecting(item(columns, hit).selectClause)
  }

  /// Selects the expressions that a closure returns as a tuple for each row and its hit.
  @_disfavoredOverload
  public consuming func selectHit<each Item: Selectable>(
    @_TupleBuilder _ items: (Columns<M>, Columns<SearchHit<M>>) -> (repeat each Item)
  ) -> TableQuery<M, (repeat (each Item).Selected)> {
    let hit = self.hit
    let items = items(columns, hit)
    return selecting(repeat each items)
  }

  /// The columns of the hits of the last search. If the query has no search, rendering the query
  /// throws an error.
  private var hit: Columns<SearchHit<M>> {
    mutating get {
      let fresh = Columns<SearchHit<M>>()
      if let found = select.statement.joins.last(where: { $0.table.layout == fresh.table.layout }) {
        return Columns(found.table)
      }
      select.statement.note(
        QueryError("there is no search in the query; write `search(…)` or `matching(…)` first"))
      return fresh
    }
  }
}
