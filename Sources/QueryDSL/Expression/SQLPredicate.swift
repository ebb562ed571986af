import SQLCore

/// A condition in a query, which is true, false or NULL.
///
/// ```swift
/// func isPopular(_ post: Columns<Post>) -> SQLPredicate {
///   post.$views > 1000 && post.$status == .published
/// }
///
/// let popular = try db.fetch(Post.where { isPopular($0) })
/// ```
///
/// `&&`, `||` and `!` combine conditions. In a block of `where { }` each line is a condition, and
/// all must hold.
public struct SQLPredicate: Sendable {
  @usableFromInline package let node: PredicateNode

  @inlinable
  package init(_ node: PredicateNode) {
    self.node = node
  }

  /// Makes a condition that always holds, or never holds. SQL: `1`, `0`
  ///
  /// In a block of conditions, the literal `true` or `false` is enough:
  /// `Post.where { _ in false }`.
  public init(_ holds: Bool) {
    self.init(.constant(holds))
  }

  /// Makes a condition of raw SQL with values and expressions of the query.
  public init(sql: SQLFragment) {
    self.init(sql.predicate)
  }

  /// Makes a condition of raw SQL that contains no expressions of the query.
  @_disfavoredOverload
  public init(sql: SQL) {
    self.init(.fragment(sql))
  }
}

extension SQLPredicate: ExpressibleByBooleanLiteral {
  /// Makes a condition that always holds, or never holds.
  public init(booleanLiteral holds: Bool) {
    self.init(holds)
  }
}

// Hints for SQLite's planner. A hint does not change the result, but SQLite cannot use an index for
// a condition that has a hint. https://www.sqlite.org/lang_corefunc.html#likelihood

extension SQLPredicate {
  /// Tells the planner that the condition holds for most rows. SQL: `likely(a)`
  ///
  /// ```swift
  /// Post.where { ($0.$status == .published).likely() && $0.$authorID == id }
  /// // … WHERE (likely("status" = ?)) AND "authorID" = ?
  /// ```
  public func likely() -> SQLPredicate { hinted("likely") }

  /// Tells the planner that the condition holds for few rows. SQL: `unlikely(a)`
  public func unlikely() -> SQLPredicate { hinted("unlikely") }

  /// Tells the planner for which share of the rows the condition holds. SQL: `likelihood(a, 0.25)`
  ///
  /// The probability is written into the SQL with three decimal places, so each probability makes a
  /// separate statement. A probability outside 0 to 1 throws `QueryError` when the query is
  /// rendered.
  public func likelihood(_ probability: Double) -> SQLPredicate {
    guard (0...1).contains(probability) else {
      return SQLPredicate(
        .invalid(QueryError("likelihood: a probability is from 0 to 1, not \(probability)")))
    }
    let thousandths = String(Int((probability * 1_000).rounded()))
    let digits = String(repeating: "0", count: max(0, 4 - thousandths.count)) + thousandths
    return hinted("likelihood", .constant("\(digits.dropLast(3)).\(digits.suffix(3))"))
  }

  private func hinted(_ function: String, _ arguments: ExpressionNode...) -> SQLPredicate {
    SQLPredicate(
      .composed([.expression(.function(function, [.predicate(node)] + arguments))]))
  }
}
