/// A missing index that a statement would use.
///
/// ```swift
/// for index in try connection.suggestedIndexes(for: "SELECT * FROM Post WHERE views > 10") {
///   print(index.sql)
/// }
/// ```
///
/// - SeeAlso: <https://www.sqlite.org/lang_createindex.html>
public struct SuggestedIndex: Hashable, Sendable, CustomStringConvertible {
  /// A column of an index.
  public struct Term: Hashable, Sendable {
    /// The name of the column.
    public let column: String
    /// The collation that the index uses for the column; nil if it is the collation that the table
    /// declares for the column.
    public let collation: String?
    /// Whether the column is in descending order.
    public let isDescending: Bool

    /// The column as it is written in CREATE INDEX.
    var sql: String {
      Identifier(column).quoted + (collation.map { " COLLATE " + Identifier($0).quoted } ?? "")
        + (isDescending ? " DESC" : "")
    }
  }

  /// The name of the index. It is the name that the same index would get if a model's schema
  /// declared it with `Index(…)`. If an object of the database already has this name, a number
  /// follows it.
  public let name: String
  /// The table.
  public let table: String
  /// The columns, in the order of the index.
  public let terms: [Term]

  /// The CREATE INDEX statement, ready to run.
  public var sql: String {
    "CREATE INDEX \(Identifier(name).quoted) ON \(Identifier(table).quoted) "
      + "(\(terms.map(\.sql).joined(separator: ", ")))"
  }

  /// The CREATE INDEX statement.
  public var description: String { sql }
}

extension Connection {
  /// Returns the indexes that SQLite's planner would use for a statement in place of scans and
  /// sorts; empty if no index would help. The statement does not run.
  ///
  /// ```swift
  /// try connection.suggestedIndexes(for: "SELECT * FROM Post WHERE status = 'draft'")
  /// // [CREATE INDEX "Post_on_status" ON "Post" ("status")]
  /// ```
  ///
  /// A parameter counts as an unknown value. The method creates the schema again in memory, without
  /// rows, which takes some milliseconds. Throws `DatabaseError` if the statement does not compile.
  /// `Configuration.onTableScan` suggests indexes for the statements that a program runs.
  public func suggestedIndexes(for sql: SQL) throws -> [SuggestedIndex] {
    _ = try prepare(SQL(unsafe: sql.text))
    return try use().missingIndexes(for: sql.text)
  }
}

/// An index that may help a statement. SQLite decides whether it does.
struct IndexCandidate: Hashable {
  let table: String
  let terms: [SuggestedIndex.Term]

  /// Returns the indexes that may help a table to return its rows as `question` asks.
  ///
  /// An index can serve comparisons with `=` in its first columns. After these columns, it can
  /// serve either one range or an order.
  static func all(for question: IndexQuestion) -> [IndexCandidate] {
    var equal: [SuggestedIndex.Term] = []
    var ranges: [SuggestedIndex.Term] = []
    for constraint in question.query.constraints {
      guard question.columns.indices.contains(constraint.column) else { continue }
      func term(_ collation: String) -> SuggestedIndex.Term {
        question.term(constraint.column, collation: collation)
      }
      switch constraint.comparison {
      case .equal, .is, .isNull: append(term(constraint.collation), to: &equal)
      case .greater, .greaterOrEqual, .less, .lessOrEqual:
        append(term(constraint.collation), to: &ranges)
      // LIKE ignores the case of ASCII letters, so only an index with the collation NOCASE can
      // serve it.
      case .like: append(term("NOCASE"), to: &ranges)
      case .glob: append(term("BINARY"), to: &ranges)
      default: break
      }
    }
    let order = question.order
    func rest(_ terms: [SuggestedIndex.Term]) -> [SuggestedIndex.Term] {
      terms.filter { term in !equal.contains { $0.column == term.column } }
    }
    var lists: [[SuggestedIndex.Term]] = []
    if !order.isEmpty { lists.append(equal + rest(order)) }
    lists += rest(ranges).map { equal + [$0] }
    lists.append(equal)
    lists.append(order)
    lists += equal.map { [$0] }
    lists += ranges.map { [$0] }
    return lists.filter { !$0.isEmpty }.map { IndexCandidate(table: question.table, terms: $0) }
  }

  private static func append(
    _ term: SuggestedIndex.Term, to terms: inout [SuggestedIndex.Term]
  ) {
    if !terms.contains(where: { $0.column == term.column }) { terms.append(term) }
  }
}

extension IndexQuestion {
  fileprivate func term(
    _ column: Int, collation: String? = nil, isDescending: Bool = false
  ) -> SuggestedIndex.Term {
    let own = columns[column].collation
    let isOwn = collation.map { $0.isSame(as: own) } ?? true
    return SuggestedIndex.Term(
      column: columns[column].name, collation: isOwn ? nil : collation,
      isDescending: isDescending)
  }

  /// The columns of the requested order. If the first column is descending, the directions of all
  /// columns are reversed, because SQLite can read an index backwards as well.
  fileprivate var order: [SuggestedIndex.Term] {
    guard query.orderings.allSatisfy({ columns.indices.contains($0.column) }) else { return [] }
    let isTurned = query.orderings.first?.isDescending ?? false
    return query.orderings.map { term($0.column, isDescending: $0.isDescending != isTurned) }
  }
}
