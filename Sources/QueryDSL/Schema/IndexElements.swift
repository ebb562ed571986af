import SQLCore

/// An index as a schema declares it.
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

/// What an index orders rows by: a column or an expression, perhaps downwards, perhaps with a
/// collation of its own.
public struct IndexTerm: Sendable {
  let node: ExpressionNode
  var isDescending = false
  var collation: Collation?

  /// Downwards. SQL: `a DESC`
  public var descending: IndexTerm {
    var term = self
    term.isDescending = true
    return term
  }
}

extension SQLExpression {
  /// Downwards, as a term of an index. SQL: `a DESC`
  public var descending: IndexTerm { IndexTerm(node: node, isDescending: true) }

  /// With a collation, as a term of an index. SQL: `a COLLATE NOCASE`
  public func collated(_ collation: Collation) -> IndexTerm {
    IndexTerm(node: node, collation: collation)
  }
}

/// Collects the terms of an index, one a line.
@resultBuilder
public enum IndexBuilder {
  /// A column or an expression.
  public static func buildExpression<Value: ColumnValue>(
    _ expression: SQLExpression<Value>
  ) -> IndexTerm {
    IndexTerm(node: expression.node)
  }

  /// A term.
  public static func buildExpression(_ term: IndexTerm) -> IndexTerm { term }

  /// All terms.
  public static func buildBlock(_ terms: IndexTerm...) -> [IndexTerm] { terms }
}

/// An index over one column or several.
///
/// ```swift
/// Index(\.$status, \.$createdAt)
/// // CREATE INDEX "Post_on_status_createdAt" ON "Post" ("status", "createdAt")
/// ```
///
/// It comes and goes with the code; one with a name of its own goes by `Dropped(index:)`.
/// - SeeAlso: <https://www.sqlite.org/lang_createindex.html>
public func Index<M: Model, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>, name: String? = nil
) -> SchemaElement<M> {
  index(.columns(paths(repeat each columns)), false, name) { _ in [] }
}

/// An index over columns, of those rows alone for which each line holds.
///
/// ```swift
/// Index(\.$createdAt) { $0.$status == .published }
/// // CREATE INDEX … ON "Post" ("createdAt") WHERE "status" = 'published'
/// ```
/// - SeeAlso: <https://www.sqlite.org/partialindex.html>
public func Index<M: Model, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>, name: String? = nil,
  @PredicateBuilder where predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  index(.columns(paths(repeat each columns)), false, name, predicates)
}

/// An index over columns and expressions, one a line.
///
/// ```swift
/// Index {
///   $0.$authorID
///   $0.$createdAt.descending
///   $0.$title.collated(.noCase)
/// }
/// // CREATE INDEX … ON "Post" ("authorID", "createdAt" DESC, "title" COLLATE NOCASE)
/// ```
public func Index<M: Model>(
  name: String? = nil, @IndexBuilder on terms: @escaping (Columns<M>) -> [IndexTerm]
) -> SchemaElement<M> {
  index(.expressions { terms(.declared) }, false, name) { _ in [] }
}

/// An index over columns and expressions, of those rows alone for which each line holds.
public func Index<M: Model>(
  name: String? = nil, @IndexBuilder on terms: @escaping (Columns<M>) -> [IndexTerm],
  @PredicateBuilder where predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  index(.expressions { terms(.declared) }, false, name, predicates)
}

/// A column, or several together, whose values no two rows share; NULL may come often.
///
/// ```swift
/// Unique(\.$url)
/// // CREATE UNIQUE INDEX "Post_unique_url" ON "Post" ("url")
/// ```
public func Unique<M: Model, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>, name: String? = nil
) -> SchemaElement<M> {
  index(.columns(paths(repeat each columns)), true, name) { _ in [] }
}

/// A column, or several together, whose values no two rows share for which each line holds.
public func Unique<M: Model, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>, name: String? = nil,
  @PredicateBuilder where predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  index(.columns(paths(repeat each columns)), true, name, predicates)
}

/// Columns and expressions whose values together no two rows share.
public func Unique<M: Model>(
  name: String? = nil, @IndexBuilder on terms: @escaping (Columns<M>) -> [IndexTerm]
) -> SchemaElement<M> {
  index(.expressions { terms(.declared) }, true, name) { _ in [] }
}

/// Columns and expressions whose values together no two rows share for which each line holds.
public func Unique<M: Model>(
  name: String? = nil, @IndexBuilder on terms: @escaping (Columns<M>) -> [IndexTerm],
  @PredicateBuilder where predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  index(.expressions { terms(.declared) }, true, name, predicates)
}

private func paths<M: Model, each Value: ColumnValue>(
  _ columns: repeat KeyPath<M, ColumnReference<each Value>>
) -> [PartialKeyPath<M>] {
  var paths: [PartialKeyPath<M>] = []
  for path in repeat each columns { paths.append(path) }
  return paths
}

private func index<M: Model>(
  _ terms: IndexLine<M>.Terms, _ isUnique: Bool, _ name: String?,
  _ predicates: @escaping (Columns<M>) -> PredicateLines
) -> SchemaElement<M> {
  SchemaElement(
    kind: .index(
      IndexLine(terms: terms, isUnique: isUnique, name: name) { predicates(.declared) }))
}
