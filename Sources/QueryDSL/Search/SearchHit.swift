import SQLCore

/// A row that a full-text search has found, with its relevance and the words that were found in it.
///
/// ```swift
/// Post.search("swift").order(by: .rank).selectHit { post, hit in
///   (post.$title, hit.$rank, hit.snippet(of: \.$body))
/// }
/// ```
/// In a `Query { }`, the closure has a parameter `Columns<SearchHit<Post>>` for the hit.
public struct SearchHit<M: TableModel>: _SearchHitRow {
  /// The model that is searched; programs do not use it directly.
  public typealias _Searched = M

  /// The key of the row.
  @Column public var rowID: Int64
  /// The relevance of the row, by the weights of the columns. A smaller number means a more
  /// relevant row. The number is negative, and can be compared only within one search.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_bm25_function>
  @Column public var rank: Double
  /// The column that has the same name as the index. The functions of FTS5 need it as an argument.
  @Column var index: Int64

  /// Declares the names that FTS5 gives to the columns.
  public static var schema: Schema<SearchHit> {
    Named(\.$rowID, "rowid")
    Named(\.$index, (try? SearchIndex.declared(by: M.self))?.name ?? "index")
  }
}

/// A row of a full-text search; programs do not use it directly.
public protocol _SearchHitRow: ResultRow {
  /// The model that is searched; programs do not use it directly.
  associatedtype _Searched: TableModel
}

extension Columns where M: _SearchHitRow {
  /// Returns the whole text of a column, and the ranges of the words that were found in it.
  ///
  /// SQL: `ifnull(apus_highlight("Post_search", 1, ?, ?), '')`
  ///
  /// `apus_highlight` returns what FTS5's `highlight` returns, except that it does not cut a text
  /// off at U+0000. If an optional column is nil, the result is an empty text. If the index does
  /// not have the column, rendering the query throws `QueryError`.
  ///
  /// In a query with groups or window functions, SQLite refuses the functions of a hit, such as
  /// this one. Select them in an inner query that has a limit.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_highlight_function>
  public func highlight<Value: ColumnValue>(
    of column: KeyPath<M._Searched, ColumnReference<Value>>
  ) -> SQLExpression<HighlightedText> {
    SQLExpression(
      searchFunction("apus_highlight", at: position(of: column), HighlightedText.delimiters))
  }

  /// Returns the part of a column's text with the most found words, and the ranges of these words.
  ///
  /// SQL: `ifnull(apus_snippet("Post_search", 1, ?, ?, '…', 16), '')`
  ///
  /// - Parameter words: the greatest number of words in the part, from 1 to 64.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_snippet_function>
  public func snippet<Value: ColumnValue>(
    of column: KeyPath<M._Searched, ColumnReference<Value>>, words: Int = 16
  ) -> SQLExpression<HighlightedText> {
    SQLExpression(snippetNode(position(of: column), words))
  }

  /// Returns the part of a column's text with the most found words. FTS5 chooses the column. SQL:
  /// `ifnull(apus_snippet("Post_search", -1, ?, ?, '…', 16), '')`
  public func snippet(words: Int = 16) -> SQLExpression<HighlightedText> {
    SQLExpression(snippetNode(.constant("-1"), words))
  }

  /// Returns the condition that a word was found in a column.
  /// SQL: `ifnull(apus_highlight(…, ?, ''), '') <> ifnull(apus_highlight(…, '', ''), '')`
  public func isFound<Value: ColumnValue>(
    in column: KeyPath<M._Searched, ColumnReference<Value>>
  ) -> SQLPredicate {
    let position = position(of: column)
    let empty = ExpressionNode.constant("''")
    return SQLPredicate(
      .compare(
        .notEqual,
        searchFunction("apus_highlight", at: position, [HighlightedText.delimiters[0], empty]),
        searchFunction("apus_highlight", at: position, [empty, empty])))
  }

  /// Returns the relevance of the row, calculated with other weights than those of the index. A
  /// smaller number means a more relevant row. A column that is not listed keeps its weight. SQL:
  /// `bm25("Post_search", ?, ?)`
  ///
  /// ```swift
  /// Post.search("swift").selectHit { post, hit in
  ///   (post.$title, hit.rank { $0.$title.weighted(5) })
  /// }
  /// ```
  /// If the rows are ordered by this rank, SQLite sorts them; with `$rank`, the index returns them
  /// in order. Rendering the query throws `QueryError` if the index does not have a listed column,
  /// or if a weight is negative or not finite.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_bm25_function>
  public func rank(
    @FullTextBuilder weighing weights: (Columns<M._Searched>) -> [FullTextTerm]
  ) -> SQLExpression<Double> {
    SQLExpression(rankNode(weights(Columns<M._Searched>())))
  }

  private func rankNode(_ terms: [FullTextTerm]) -> ExpressionNode {
    do {
      let index = try SearchIndex.required(by: M._Searched.self)
      var weights = index.columns.map(\.weight)
      for term in terms {
        guard let column = term.node.columnID,
          let position = index.position(ofColumn: Int(column.index))
        else {
          throw QueryError("\(index.name): the index does not have a column that is weighed")
        }
        guard term.weight.isFinite, term.weight >= 0 else {
          throw QueryError(
            "\(index.name): the weight of \(index.columns[position].name) is \(term.weight)")
        }
        weights[position] = term.weight
      }
      return .function(
        "bm25",
        [.column(ColumnID(table: table, index: 2))]
          + weights.map { .value(BoundValue($0)) })
    } catch {
      return .invalid(error as? QueryError ?? QueryError(String(describing: error)))
    }
  }

  private func snippetNode(_ position: ExpressionNode, _ words: Int) -> ExpressionNode {
    guard (1...64).contains(words) else {
      return .invalid(QueryError("snippet(words: \(words)): a snippet has 1 to 64 words"))
    }
    return searchFunction(
      "apus_snippet", at: position,
      HighlightedText.delimiters + [.constant("'…'"), .value(BoundValue(words))])
  }

  private func searchFunction(
    _ name: String, at position: ExpressionNode, _ arguments: [ExpressionNode]
  ) -> ExpressionNode {
    if case .invalid = position { return position }
    // The third column of a hit has the name of the index, and is the first argument of FTS5's
    // functions.
    let index = ExpressionNode.column(ColumnID(table: table, index: 2))
    // For a column that is NULL, `apus_highlight` and `apus_snippet` return NULL.
    return .function(
      "ifnull", [.function(name, [index, position] + arguments), .constant("''")])
  }

  private func position<Value>(
    of column: KeyPath<M._Searched, ColumnReference<Value>>
  ) -> ExpressionNode {
    do {
      let index = try SearchIndex.required(by: M._Searched.self)
      guard let place = try M._Searched.layout.index(of: column),
        let position = index.position(ofColumn: place)
      else {
        return .invalid(QueryError("\(index.name): the index does not have \(column)"))
      }
      guard !index.columns[position].isUnindexed else {
        let name = index.columns[position].name
        return .invalid(
          QueryError(
            "\(index.name): the words of \(name) are not indexed; select the column itself")
        )
      }
      return .constant("\(position)")
    } catch {
      return .invalid(QueryError(String(describing: error)))
    }
  }
}
