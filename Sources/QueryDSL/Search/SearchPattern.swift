import SQLCore

/// The words that a full-text search looks for.
///
/// ```swift
/// Post.search("swift conc")                           // "swift" "conc" *
/// Post.search(.phrase("swift concurrency"))           // "swift concurrency"
/// Post.search(.words("swift").in(\.$title))           // {"title"} : ("swift")
/// Post.search(.words("swift").excluding(.words("bird")))
/// ```
///
/// A text from a user may contain any characters. Each word is quoted, so no character has a
/// special meaning. FTS5 splits a word such as `foo-bar` in the same way as the indexed text, and
/// looks for its parts next to each other. A text without a word finds nothing, and does not throw.
/// The pattern is a bound value, so all patterns share one statement.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
public struct SearchPattern<M: TableModel>: Sendable {
  let node: SearchNode

  init(_ node: SearchNode) {
    self.node = node
  }
}

// MARK: Text of a user

extension SearchPattern {
  /// Finds rows that have all words of a text, for a search while the user types. The last word may
  /// be unfinished, unless white space follows it. FTS5: `"swift" "conc" *`
  ///
  /// With the tokenizer `porter`, the index has "run" for "running". If the text ends with
  /// "runnin", the pattern also looks for the finished words that "runnin" can become. There are at
  /// most fourteen such words, and each costs a seek in the index. FTS5:
  /// `"swift" AND ("runnin" * OR "running" OR …)`
  public static func asYouType(_ text: String) -> SearchPattern {
    let isFinished = text.unicodeScalars.last?.properties.isWhitespace ?? true
    return SearchPattern(.words(text, .all, isFinished ? .none : .last))
  }

  /// Finds rows that have all words of a text, in any order and column. FTS5: `"swift" "bird"`
  public static func words(_ text: String) -> SearchPattern {
    SearchPattern(.words(text, .all, .none))
  }

  /// Finds rows that have at least one word of a text. FTS5: `"swift" OR "bird"`
  public static func anyWord(of text: String) -> SearchPattern {
    SearchPattern(.words(text, .any, .none))
  }

  /// Finds rows that have, for each word of a text, a word that begins with it.
  /// FTS5: `"sw" * "conc" *`
  public static func prefixes(_ text: String) -> SearchPattern {
    SearchPattern(.words(text, .all, .each))
  }

  /// Finds rows that have the words of a text one after another. FTS5: `"swift concurrency"`
  ///
  /// If the detail of the index is not `.full`, rendering the query throws `QueryError`.
  public static func phrase(_ text: String) -> SearchPattern { SearchPattern(.phrase(text)) }

  /// Finds rows in which several texts are near each other in one column. Each text is a word or a
  /// phrase. At most `distance` words are between the first and the last text. FTS5:
  /// `NEAR("swift" "actor", 10)`
  ///
  /// If the detail of the index is not `.full`, rendering the query throws `QueryError`.
  public static func near(_ texts: String..., within distance: Int = 10) -> SearchPattern {
    near(texts, within: distance)
  }

  /// Finds rows in which the texts of a list are near each other in one column.
  /// FTS5: `NEAR("swift" "actor", 10)`
  public static func near(_ texts: [String], within distance: Int = 10) -> SearchPattern {
    SearchPattern(.near(texts, distance))
  }

  /// Finds the rows that match a pattern in the syntax of FTS5. Do not make the pattern from a
  /// user's text: a wrong pattern throws `DatabaseError` when the query runs.
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
  public static func raw(_ pattern: String) -> SearchPattern { SearchPattern(.raw(pattern)) }
}

// MARK: Combining patterns

extension SearchPattern {
  /// Finds rows that both patterns find. FTS5: `(…) AND (…)`
  public func and(_ other: SearchPattern) -> SearchPattern {
    SearchPattern(.combined("AND", [node, other.node]))
  }

  /// Finds rows that match at least one of the patterns. FTS5: `(…) OR (…)`
  public func or(_ other: SearchPattern) -> SearchPattern {
    SearchPattern(.combined("OR", [node, other.node]))
  }

  /// Finds rows that match this pattern, but not the other pattern. FTS5: `(…) NOT (…)`
  public func excluding(_ other: SearchPattern) -> SearchPattern {
    SearchPattern(.combined("NOT", [node, other.node]))
  }

  /// Looks for the words in some columns only. FTS5: `{"title" "body"} : (…)`
  ///
  /// Rendering the query throws `QueryError` if the index does not have a column, or if the detail
  /// of the index is `.none`.
  public func `in`<each Value: ColumnValue>(
    _ columns: repeat KeyPath<M, ColumnReference<each Value>>
  ) -> SearchPattern {
    var indices: [Int?] = []
    for column in repeat each columns { indices.append((try? M.layout)?.index(of: column)) }
    return SearchPattern(.columns(indices, node))
  }
}
