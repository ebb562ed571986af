import SQLCore

/// An index, as a schema declares it.
struct IndexLine<M: ResultRow> {
  enum Terms {
    case columns([PartialKeyPath<M>])
    case expressions(() -> [IndexTerm])
  }

  let terms: Terms
  let isUnique: Bool
  let name: String?
  let predicates: () -> PredicateLines
}

extension SQLExpression {
  /// The expression as an index term in descending order. SQL: `a DESC`
  ///
  /// In a query, the direction is an argument after the column: `order(by: \.$a, .descending)`.
  public var descending: IndexTerm { IndexTerm(node).descending }
}

/// Declares an index over one or more columns.
///
/// ```swift
/// Index(\.$status, \.$createdAt)
/// // CREATE INDEX "Post_on_status_createdAt" ON "Post" ("status", "createdAt")
/// ```
///
/// If the line is removed, the next migration drops the index. An index with a declared name has a
/// comment, `CREATE INDEX "recent" /* Apus */ ON …`, by which a migration recognises the index.
/// - SeeAlso: <https://www.sqlite.org/lang_createindex.html>
public func Index<M: TableModel, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>, name: String? = nil
) -> SchemaElement<M> {
  index(.columns(paths(repeat each columns)), false, name) { _ in [] }
}

/// Declares a partial index. It contains only the rows that fulfil every condition of the closure.
///
/// ```swift
/// Index(\.$createdAt) { $0.$status == .published }
/// // CREATE INDEX … ON "Post" ("createdAt") WHERE "status" = 'published'
/// ```
/// - SeeAlso: <https://www.sqlite.org/partialindex.html>
public func Index<M: TableModel, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>, name: String? = nil,
  @PredicateBuilder where predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  index(.columns(paths(repeat each columns)), false, name, predicates)
}

/// Declares an index over columns and expressions, one on each line.
///
/// ```swift
/// Index {
///   $0.$authorID
///   $0.$createdAt.descending
///   $0.$title.collated(.noCase)
/// }
/// // CREATE INDEX … ON "Post" ("authorID", "createdAt" DESC, "title" COLLATE NOCASE)
/// ```
public func Index<M: TableModel>(
  name: String? = nil, @IndexBuilder on terms: @escaping (Columns<M>) -> [IndexTerm]
) -> SchemaElement<M> {
  index(.expressions { terms(.declared) }, false, name) { _ in [] }
}

/// Declares a partial index over columns and expressions. It contains only the rows that fulfil
/// every condition of `where`. SQL: `CREATE INDEX … WHERE …`
public func Index<M: TableModel>(
  name: String? = nil, @IndexBuilder on terms: @escaping (Columns<M>) -> [IndexTerm],
  @PredicateBuilder where predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  index(.expressions { terms(.declared) }, false, name, predicates)
}

/// Declares that no two rows have the same value in a column, or the same values in several
/// columns. NULL differs from every other NULL.
///
/// ```swift
/// Unique(\.$url)
/// // CREATE UNIQUE INDEX "Post_unique_url" ON "Post" ("url")
/// ```
public func Unique<M: TableModel, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>, name: String? = nil
) -> SchemaElement<M> {
  index(.columns(paths(repeat each columns)), true, name) { _ in [] }
}

/// Declares that no two rows have the same values in these columns. Only rows that fulfil every
/// condition of the closure are compared. SQL: `CREATE UNIQUE INDEX … WHERE …`
public func Unique<M: TableModel, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>, name: String? = nil,
  @PredicateBuilder where predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  index(.columns(paths(repeat each columns)), true, name, predicates)
}

/// Declares that no two rows have the same values of these columns and expressions. SQL: `CREATE
/// UNIQUE INDEX …`
public func Unique<M: TableModel>(
  name: String? = nil, @IndexBuilder on terms: @escaping (Columns<M>) -> [IndexTerm]
) -> SchemaElement<M> {
  index(.expressions { terms(.declared) }, true, name) { _ in [] }
}

/// Declares that no two rows have the same values of these columns and expressions. Only rows that
/// fulfil every condition of `where` are compared. SQL: `CREATE UNIQUE INDEX … WHERE …`
public func Unique<M: TableModel>(
  name: String? = nil, @IndexBuilder on terms: @escaping (Columns<M>) -> [IndexTerm],
  @PredicateBuilder where predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  index(.expressions { terms(.declared) }, true, name, predicates)
}

private func paths<M: TableModel, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>
) -> [PartialKeyPath<M>] {
  var paths: [PartialKeyPath<M>] = []
  for path in repeat each columns { paths.append(path) }
  return paths
}

private func index<M: TableModel>(
  _ terms: IndexLine<M>.Terms, _ isUnique: Bool, _ name: String?,
  _ predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  SchemaElement(
    kind: .index(
      IndexLine(terms: terms, isUnique: isUnique, name: name) { predicates(.declared) }))
}

/// A term of an index: a column or an expression, optionally in descending order or with its own
/// collation.
///
/// ```swift
/// Index { $0.$createdAt.descending }
/// ```
public struct IndexTerm: Sendable {
  let node: ExpressionNode
  let collation: Collation?
  var isDescending = false

  /// Creates a term from an expression. If the expression has a collation, the collation becomes
  /// the term's own COLLATE clause. So the term of a column with a collation is written without
  /// parentheses, as in `"title" COLLATE NOCASE`. The terms of other expressions have parentheses.
  init(_ expression: ExpressionNode) {
    if case .tree(.collate(let operand, let name), _) = expression {
      node = operand
      collation = Collation(name)
    } else {
      node = expression
      collation = nil
    }
  }

  /// The term in descending order. SQL: `a DESC`
  public var descending: IndexTerm {
    var term = self
    term.isDescending = true
    return term
  }
}

/// Collects the terms of an index, one on each line.
@resultBuilder
public enum IndexBuilder {
  /// Takes a column or an expression, and makes it a term of the index.
  public static func buildExpression<Value: ColumnValue>(
    _ expression: SQLExpression<Value>
  ) -> IndexTerm {
    IndexTerm(expression.node)
  }

  /// Takes a term unchanged.
  public static func buildExpression(_ term: IndexTerm) -> IndexTerm { term }

  /// Collects the terms.
  public static func buildBlock(_ terms: IndexTerm...) -> [IndexTerm] { terms }
}
