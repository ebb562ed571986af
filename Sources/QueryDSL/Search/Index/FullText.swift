import SQLCore

/// A full-text index, as a schema declares it.
struct FullTextLine<M: ResultRow> {
  enum Terms {
    case columns([PartialKeyPath<M>])
    case expressions(() -> [FullTextTerm])
  }

  let terms: Terms
  let tokenizer: SearchTokenizer
  let prefixes: [Int]
  let detail: SearchDetail
  let name: String?
}

/// Declares a full-text index over text columns, so that `Post.search("swift")` finds their words.
///
/// ```swift
/// FullText(\.$title, \.$body)
/// // CREATE VIRTUAL TABLE "Post_search" /* Apus bm25(1.0, 1.0) */ USING fts5("title", "body",
/// //   content='Post', content_rowid='id', tokenize='unicode61 remove_diacritics 2')
/// ```
///
/// The index stores no copy of the text. Triggers, whose names begin with `Post_search_`, keep the
/// index up to date. They work for every kind of write, by this program or another one, in whatever
/// order SQLite fires the triggers of the table. While a row is changed, the table
/// `Post_search_pending` holds the text that the index has for this row. Some triggers hide changes
/// from all other triggers, for example by `Raise(.ignore)` after a change. If the model declares
/// such a trigger, opening the database throws `ModelError`, as with `Logged()`.
///
/// When REPLACE removes a row, SQLite fires the delete triggers only if the setting
/// `recursive_triggers` is on. So opening a database with such a model turns the setting on for the
/// writing connection of this program. Another program must turn the setting on before it writes
/// with REPLACE.
///
/// A migration creates the index after all other steps and fills it from the rows. If the
/// declaration, the name of a column or the name of the table has changed, a migration creates the
/// index again. A table can have only one full-text index. The table needs a single integer primary
/// key, because the index finds its rows by the rowid. If a model cannot have the index, opening
/// the database throws `ModelError`.
///
/// Each write of an indexed column costs two statements on the index, and one or two short
/// statements on the table `Post_search_pending`. Filling the index reads the whole table.
///
/// - Parameters:
///   - tokenizer: how text is split into words.
///   - prefixes: the lengths of word beginnings, in characters, that the index stores in addition
///     to whole words. A search for a beginning of such a length is as fast as a search for a word.
///   - detail: how exactly the index stores each word.
///   - name: the name of the index; `Post_search` if it is nil.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#external_content_tables>
public func FullText<M: TableModel, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>,
  tokenizer: SearchTokenizer = .unicode(), prefixes: [Int] = [], detail: SearchDetail = .full,
  name: String? = nil
) -> SchemaElement<M> {
  var paths: [PartialKeyPath<M>] = []
  for path in repeat each columns { paths.append(path) }
  return fullText(.columns(paths), tokenizer, prefixes, detail, name)
}

/// Declares a full-text index over columns, one on each line, with their weights.
///
/// ```swift
/// FullText(tokenizer: .porter(), prefixes: [2, 3]) {
///   $0.$title.weighted(10)           // a word in the title counts ten times as much
///   $0.$body
///   $0.$status.unindexed             // stored beside the text; its words are not found
/// }
/// // CREATE VIRTUAL TABLE "Post_search" /* Apus bm25(10.0, 1.0, 0.0) */ USING fts5(
/// //   "title", "body", "status" UNINDEXED, content='Post', content_rowid='id',
/// //   tokenize='porter unicode61 remove_diacritics 2', prefix='2 3')
/// ```
/// Everything else is as in `FullText(_:tokenizer:prefixes:detail:name:)`.
/// - SeeAlso: <https://www.sqlite.org/fts5.html#the_bm25_function>
public func FullText<M: TableModel>(
  tokenizer: SearchTokenizer = .unicode(), prefixes: [Int] = [], detail: SearchDetail = .full,
  name: String? = nil, @FullTextBuilder of terms: @escaping (Columns<M>) -> [FullTextTerm]
) -> SchemaElement<M> {
  fullText(.expressions { terms(Columns()) }, tokenizer, prefixes, detail, name)
}

private func fullText<M: TableModel>(
  _ terms: FullTextLine<M>.Terms, _ tokenizer: SearchTokenizer, _ prefixes: [Int],
  _ detail: SearchDetail, _ name: String?
) -> SchemaElement<M> {
  SchemaElement(
    kind: .fullText(
      FullTextLine(
        terms: terms, tokenizer: tokenizer, prefixes: prefixes, detail: detail, name: name)))
}

/// A column of a full-text index, with its weight.
public struct FullTextTerm: Sendable {
  let node: ExpressionNode
  var weight: Double
  var isUnindexed = false

  init(_ node: ExpressionNode, weight: Double = 1) {
    self.node = node
    self.weight = weight
  }
}

extension SQLExpression {
  /// Returns the column for a full-text index, with a weight: its words count `weight` times in the
  /// rank of a row. SQL: `bm25(10.0, …)`
  ///
  /// In `FullText`, the weight must be 0, or from 0.001 to 1,000,000,000. Otherwise opening the
  /// database throws `ModelError`.
  public func weighted(_ weight: Double) -> FullTextTerm { FullTextTerm(node, weight: weight) }

  /// Includes the column in a full-text index, but searches do not find its words. SQL:
  /// `"status" UNINDEXED`
  /// - SeeAlso: <https://www.sqlite.org/fts5.html#the_unindexed_column_option>
  public var unindexed: FullTextTerm {
    var term = FullTextTerm(node, weight: 0)
    term.isUnindexed = true
    return term
  }
}

/// Collects the columns of a full-text index, one on each line.
@resultBuilder
public enum FullTextBuilder {
  /// Takes a column with the weight 1.
  public static func buildExpression<Value: ColumnValue>(
    _ column: SQLExpression<Value>
  ) -> FullTextTerm {
    FullTextTerm(column.node)
  }

  /// Takes a column with its weight.
  public static func buildExpression(_ term: FullTextTerm) -> FullTextTerm { term }

  /// Collects the columns.
  public static func buildBlock(_ terms: FullTextTerm...) -> [FullTextTerm] { terms }
}

/// How exactly a full-text index stores each occurrence of a word.
///
/// - SeeAlso: <https://www.sqlite.org/fts5.html#the_detail_option>
public enum SearchDetail: String, Sendable {
  /// Stores the row, the column and the position. Every kind of pattern can be searched.
  case full
  /// Stores the row and the column, which takes about half the space. Phrases and `near` cannot be
  /// searched.
  case column
  /// Stores the row only, which takes the least space. Phrases, `near` and single columns cannot be
  /// searched.
  case none
}
