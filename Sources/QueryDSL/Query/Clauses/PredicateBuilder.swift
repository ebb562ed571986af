/// Collects predicates, one on each line. All of them must hold. The block may contain `if`,
/// `if let`, `switch` and `for`.
@resultBuilder
public enum PredicateBuilder {
  /// Takes one line. This is the only overload. With a second one, even an unavailable one, the
  /// compiler would need seconds to diagnose a mistake.
  @inlinable
  public static func buildExpression(_ predicate: SQLPredicate) -> PredicateLines {
    PredicateLines(.one(predicate.node))
  }

  /// Takes an empty block.
  @inlinable
  public static func buildBlock() -> PredicateLines { [] }

  /// Takes the first line.
  @inlinable
  public static func buildPartialBlock(first: PredicateLines) -> PredicateLines { first }

  /// Adds a line to the lines above it.
  @inlinable
  public static func buildPartialBlock(
    accumulated: consuming PredicateLines, next: PredicateLines
  ) -> PredicateLines {
    accumulated.nodes.append(contentsOf: next.nodes)
    return accumulated
  }

  /// Takes the lines of an `if` without `else`.
  @inlinable
  public static func buildOptional(_ lines: PredicateLines?) -> PredicateLines { lines ?? [] }

  /// Takes the lines of an `if` that has an `else`.
  @inlinable
  public static func buildEither(first lines: PredicateLines) -> PredicateLines { lines }

  /// Takes the lines of an `else`.
  @inlinable
  public static func buildEither(second lines: PredicateLines) -> PredicateLines { lines }

  /// Takes the lines of a `for`.
  public static func buildArray(_ lines: [PredicateLines]) -> PredicateLines {
    PredicateLines(ShortList(lines.flatMap(\.nodes)))
  }

  /// Takes the lines of an `if #available`.
  @inlinable
  public static func buildLimitedAvailability(_ lines: PredicateLines) -> PredicateLines { lines }
}

/// Returns a condition that holds if at least one line holds. SQL: `a OR b`
///
/// The condition is false if there are no lines.
public func AnyOf(@PredicateBuilder _ predicates: () -> PredicateLines) -> SQLPredicate {
  SQLPredicate(.any(Array(predicates().nodes)))
}

/// Returns a condition that holds if all lines hold. SQL: `a AND b`
///
/// The condition is true if there are no lines.
public func AllOf(@PredicateBuilder _ predicates: () -> PredicateLines) -> SQLPredicate {
  SQLPredicate(.all(Array(predicates().nodes)))
}

/// Returns a condition that holds if no line holds. SQL: `NOT (a OR b)`
///
/// The condition is true if there are no lines.
public func NoneOf(@PredicateBuilder _ predicates: () -> PredicateLines) -> SQLPredicate {
  SQLPredicate(.not(.any(Array(predicates().nodes))))
}

/// The lines of a block of predicates. A function with the attribute `@PredicateBuilder` returns
/// this type. It can also be written as an array literal of predicates.
public struct PredicateLines: Sendable, ExpressibleByArrayLiteral {
  @usableFromInline package var nodes: ShortList<PredicateNode>

  @inlinable
  init(_ nodes: ShortList<PredicateNode>) {
    self.nodes = nodes
  }

  /// Makes lines of several predicates.
  public init(arrayLiteral lines: SQLPredicate...) {
    self.init(ShortList(lines.map(\.node)))
  }
}
