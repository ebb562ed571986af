/// Collects predicates, one on each line. All of them must hold. The block may contain `if`,
/// `if let`, `switch` and `for`.
@resultBuilder
public enum PredicateBuilder {
  /// Takes one predicate of the block. This function has no second overload, because with one, even
  /// an unavailable one, the compiler would need seconds to report a mistake in the block.
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

  /// Adds a predicate to the predicates above it.
  @inlinable
  public static func buildPartialBlock(
    accumulated: consuming PredicateLines, next: PredicateLines
  ) -> PredicateLines {
    accumulated.nodes.append(contentsOf: next.nodes)
    return accumulated
  }

  /// Takes the predicates of an `if` without `else`.
  @inlinable
  public static func buildOptional(_ lines: PredicateLines?) -> PredicateLines { lines ?? [] }

  /// Takes the predicates of an `if` branch that an `else` follows.
  @inlinable
  public static func buildEither(first lines: PredicateLines) -> PredicateLines { lines }

  /// Takes the predicates of an `else`.
  @inlinable
  public static func buildEither(second lines: PredicateLines) -> PredicateLines { lines }

  /// Takes the predicates of a `for`.
  public static func buildArray(_ lines: [PredicateLines]) -> PredicateLines {
    PredicateLines(ShortList(lines.flatMap(\.nodes)))
  }

  /// Takes the predicates of an `if #available`.
  @inlinable
  public static func buildLimitedAvailability(_ lines: PredicateLines) -> PredicateLines { lines }
}

/// Returns a condition that holds if at least one predicate of the block holds. SQL: `a OR b`
///
/// The condition is false if the block is empty.
public func AnyOf(@PredicateBuilder _ predicates: () -> PredicateLines) -> SQLPredicate {
  SQLPredicate(.any(Array(predicates().nodes)))
}

/// Returns a condition that holds if all predicates of the block hold. SQL: `a AND b`
///
/// The condition is true if the block is empty.
public func AllOf(@PredicateBuilder _ predicates: () -> PredicateLines) -> SQLPredicate {
  SQLPredicate(.all(Array(predicates().nodes)))
}

/// Returns a condition that holds if every predicate of the block is false. If one of them is NULL,
/// the condition does not hold. SQL: `NOT (a OR b)`
///
/// The condition is true if the block is empty.
public func NoneOf(@PredicateBuilder _ predicates: () -> PredicateLines) -> SQLPredicate {
  SQLPredicate(.not(.any(Array(predicates().nodes))))
}

/// The predicates of a block, such as the closure of `where`. A function with the attribute
/// `@PredicateBuilder` returns this type. An array literal of predicates also makes such a value.
public struct PredicateLines: Sendable, ExpressibleByArrayLiteral {
  @usableFromInline package var nodes: ShortList<PredicateNode>

  @inlinable
  init(_ nodes: ShortList<PredicateNode>) {
    self.nodes = nodes
  }

  /// Makes the predicates of a block from an array literal.
  public init(arrayLiteral lines: SQLPredicate...) {
    self.init(ShortList(lines.map(\.node)))
  }
}
