import SQLCore

/// A condition in a query: true, false or unknown.
///
/// `&&`, `||` and `!` combine conditions. In a block of `where { }` each line is a condition, and
/// all must hold.
public struct SQLPredicate: Sendable {
  @usableFromInline package let node: PredicateNode

  @inlinable
  package init(_ node: PredicateNode) {
    self.node = node
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
