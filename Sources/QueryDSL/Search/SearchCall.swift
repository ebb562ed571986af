import SQLCore

/// A full-text search of a table in a query. In a join, the search acts as a table with a row for
/// each hit.
///
/// ```swift
/// Query { (post: Columns<Post>, hit: Columns<SearchHit<Post>>, author: Columns<Author>) in
///   From(post)
///   Join(post.search("swift").as(hit))
///   Join(author, on: post.$authorID == author.$id)
///   OrderBy(hit.$rank)
///   Select(post.$title, author.$name, hit.snippet(of: \.$body))
/// }
/// // … FROM "Post" JOIN "Post_search"(?) ON "Post"."id" = (+"Post_search"."rowid")
/// //   JOIN "Author" ON "Post"."authorID" = "Author"."id" ORDER BY "Post_search"."rank"
/// ```
public struct SearchCall<M: TableModel>: Sendable {
  let pattern: SearchPattern<M>
  /// The columns of the table that is searched.
  let columns: Columns<M>

  /// Turns the search into a table that a query can join. The query then names the columns of this
  /// table by `hit`.
  public func `as`(_ hit: Columns<SearchHit<M>>) -> TableFunctionReference {
    TableFunctionReference(
      _reference: TableReference(table: hit.table, source: source),
      condition: innerCondition(hit))
  }

  /// Turns the search into a table for a left join. Rows that the search does not find stay in the
  /// result. SQL: `LEFT JOIN "Post_search"(?) ON …`
  public func `as`(_ hit: OptionalColumns<SearchHit<M>>) -> OptionalTableFunctionReference {
    OptionalTableFunctionReference(
      _reference: TableReference(table: hit.columns.table, source: source, isOptional: true),
      condition: condition(hit.columns))
  }

  /// The search as the table function `"Post_search"(?)`, whose argument is the pattern. If the
  /// pattern is invalid, rendering the query throws an error.
  var source: TableReference.Source {
    do {
      let index = try SearchIndex.required(by: M.self)
      return .function(index.name, [.value(BoundValue(try pattern.node.text(for: index)))])
    } catch {
      let problem = error as? QueryError ?? QueryError(String(describing: error))
      return .function("search", [.invalid(problem)])
    }
  }

  /// Returns the condition of an inner join: `"Post"."id" = (+"Post_search"."rowid")`
  ///
  /// The `+` hides the rowid from SQLite's planner. Otherwise the planner may use an index for
  /// another condition, read the rows of the table first, and run the whole search for each row.
  func innerCondition(_ hit: Columns<SearchHit<M>>) -> PredicateNode {
    let rowID = hit.$rowID.node
    let row = ExpressionNode.tree(
      .composed([.sql("+"), .expression(rowID)]), depth: rowID.depth + 1)
    return .compare(.equal, key, row)
  }

  /// Returns the condition of a left join, which reads the table first:
  /// `"Post_search"."rowid" = "Post"."id"`
  func condition(_ hit: Columns<SearchHit<M>>) -> PredicateNode {
    .compare(.equal, hit.$rowID.node, key)
  }

  /// The key of the table that is searched.
  var key: ExpressionNode {
    let index = (try? SearchIndex.declared(by: M.self))?.key ?? 0
    return .column(ColumnID(table: columns.table, index: UInt16(truncatingIfNeeded: index)))
  }
}

extension Columns where M: TableModel {
  /// Searches the table for a pattern; see `SearchCall`.
  public func search(_ pattern: SearchPattern<M>) -> SearchCall<M> {
    SearchCall(pattern: pattern, columns: self)
  }

  /// Searches the table for all words of a text. The last word may be unfinished.
  public func search(_ text: String) -> SearchCall<M> { search(.asYouType(text)) }

  /// Returns the condition that a full-text search finds the row. It can be used like any other
  /// condition, also in an update or a deletion.
  ///
  /// ```swift
  /// Post.where { $0.matches("swift conc") || $0.$isPinned == true }
  /// // … WHERE "id" IN (SELECT "Post_search"."rowid" FROM "Post_search"(?)) OR "isPinned" = 1
  /// ```
  /// The search runs once for each statement.
  public func matches(_ pattern: SearchPattern<M>) -> SQLPredicate {
    let call = search(pattern)
    let hit = Columns<SearchHit<M>>()
    var statement = SelectStatement(
      selection: .terms([.expression(hit.$rowID.node)]), from: hit.table)
    statement.changeExtras { $0.sources = [(hit.table, call.source)] }
    return SQLPredicate(.isInQuery(call.key, statement, isOptional: false))
  }

  /// Returns the condition that the row has all words of a text. The last word may be unfinished.
  public func matches(_ text: String) -> SQLPredicate { matches(.asYouType(text)) }
}
