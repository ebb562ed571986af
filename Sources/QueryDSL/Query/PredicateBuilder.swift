/// Collects predicates, one a line: all must hold. `if`, `if let`, `switch` and `for` work inside.
@resultBuilder
public enum PredicateBuilder {
  /// One line. It is the only one: a second, even an unavailable one, costs the compiler seconds
  /// over a mistake.
  @inlinable
  public static func buildExpression(_ predicate: SQLPredicate) -> [SQLPredicate] { [predicate] }

  /// All lines.
  @inlinable
  public static func buildBlock(_ lines: [SQLPredicate]...) -> [SQLPredicate] {
    lines.count == 1 ? lines[0] : lines.flatMap { $0 }
  }

  /// The lines of an `if`.
  @inlinable
  public static func buildOptional(_ lines: [SQLPredicate]?) -> [SQLPredicate] { lines ?? [] }

  /// The lines of an `if`, with an `else` behind it.
  @inlinable
  public static func buildEither(first lines: [SQLPredicate]) -> [SQLPredicate] { lines }

  /// The lines of an `else`.
  @inlinable
  public static func buildEither(second lines: [SQLPredicate]) -> [SQLPredicate] { lines }

  /// The lines of a `for`.
  @inlinable
  public static func buildArray(_ lines: [[SQLPredicate]]) -> [SQLPredicate] {
    lines.flatMap { $0 }
  }

  /// The lines of an `if #available`.
  @inlinable
  public static func buildLimitedAvailability(_ lines: [SQLPredicate]) -> [SQLPredicate] { lines }
}

/// At least one line holds; none does where there is no line. SQL: `a OR b`
public func AnyOf(@PredicateBuilder _ predicates: () -> [SQLPredicate]) -> SQLPredicate {
  SQLPredicate(.any(predicates().map(\.node)))
}

/// Each line holds; where there is no line, it holds. SQL: `a AND b`
public func AllOf(@PredicateBuilder _ predicates: () -> [SQLPredicate]) -> SQLPredicate {
  SQLPredicate(.all(predicates().map(\.node)))
}

/// No line holds. SQL: `NOT (a OR b)`
public func NoneOf(@PredicateBuilder _ predicates: () -> [SQLPredicate]) -> SQLPredicate {
  SQLPredicate(.not(.any(predicates().map(\.node))))
}
