/// Collects predicates, one a line: all must hold. `if`, `if let`, `switch` and `for` work inside.
@resultBuilder
public enum PredicateBuilder {
  /// One line. It is the only one: a second, even an unavailable one, costs the compiler seconds
  /// over a mistake.
  @inlinable
  public static func buildExpression(_ predicate: SQLPredicate) -> PredicateLines {
    PredicateLines(.one(predicate.node))
  }

  /// No line.
  @inlinable
  public static func buildBlock() -> PredicateLines { [] }

  /// The first line.
  @inlinable
  public static func buildPartialBlock(first: PredicateLines) -> PredicateLines { first }

  /// A line below others.
  @inlinable
  public static func buildPartialBlock(
    accumulated: consuming PredicateLines, next: PredicateLines
  ) -> PredicateLines {
    accumulated.nodes.append(contentsOf: next.nodes)
    return accumulated
  }

  /// The lines of an `if`.
  @inlinable
  public static func buildOptional(_ lines: PredicateLines?) -> PredicateLines { lines ?? [] }

  /// The lines of an `if`, with an `else` behind it.
  @inlinable
  public static func buildEither(first lines: PredicateLines) -> PredicateLines { lines }

  /// The lines of an `else`.
  @inlinable
  public static func buildEither(second lines: PredicateLines) -> PredicateLines { lines }

  /// The lines of a `for`.
  public static func buildArray(_ lines: [PredicateLines]) -> PredicateLines {
    PredicateLines(ShortList(lines.flatMap(\.nodes)))
  }

  /// The lines of an `if #available`.
  @inlinable
  public static func buildLimitedAvailability(_ lines: PredicateLines) -> PredicateLines { lines }
}

/// The lines of a block of predicates. What a function returns that is itself a `@PredicateBuilder`;
/// an array literal of predicates is one, too.
public struct PredicateLines: Sendable, ExpressibleByArrayLiteral {
  @usableFromInline package var nodes: ShortList<PredicateNode>

  @inlinable
  init(_ nodes: ShortList<PredicateNode>) {
    self.nodes = nodes
  }

  /// Lines that all must hold.
  public init(arrayLiteral lines: SQLPredicate...) {
    self.init(ShortList(lines.map(\.node)))
  }
}

/// At least one line holds; none does where there is no line. SQL: `a OR b`
public func AnyOf(@PredicateBuilder _ predicates: () -> PredicateLines) -> SQLPredicate {
  SQLPredicate(.any(Array(predicates().nodes)))
}

/// Each line holds; where there is no line, it holds. SQL: `a AND b`
public func AllOf(@PredicateBuilder _ predicates: () -> PredicateLines) -> SQLPredicate {
  SQLPredicate(.all(Array(predicates().nodes)))
}

/// No line holds. SQL: `NOT (a OR b)`
public func NoneOf(@PredicateBuilder _ predicates: () -> PredicateLines) -> SQLPredicate {
  SQLPredicate(.not(.any(Array(predicates().nodes))))
}
