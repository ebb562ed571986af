/// An operand of `&&`, `||` and `!`: a condition or an expression of Bool; programs do not use
/// it directly.
///
/// The operators are generic functions over this protocol, so that each operator exists only once.
/// If `&&` had one overload for columns and one for conditions, the compiler would take 30 seconds
/// to find a misspelt column among eight terms, even if one overload were disfavoured.
///
/// This protocol and its name exist only for the compiler. If a type whose name begins with `SIMD`
/// declares one overload of a logical operator, Swift 6.3 first looks at the result type that the
/// context needs, and then tries the overloads (`isSupportedDisjunction` in its `CSOptimizer.cpp`).
/// Without such a name, the compiler tries the overloads of `Bool` first. It then takes 17 seconds
/// instead of 0.4 to diagnose one wrong literal in a chain of 32 terms. `TypeCheckingTests` checks
/// the time. If a later compiler is as fast without the name, the operators may move back to
/// `SQLPredicate`.
public protocol SIMDLogic {
  /// The operand as a condition; programs do not use it directly.
  var _condition: SQLPredicate { get }
  /// The negation of the operand; programs do not use it directly.
  var _negation: SQLPredicate { get }
}

extension SQLPredicate: SIMDLogic {
  /// The condition itself; programs do not use it directly.
  @inlinable
  public var _condition: SQLPredicate { self }
  /// SQL: `NOT a`; programs do not use it directly.
  @inlinable
  public var _negation: SQLPredicate { SQLPredicate(.not(node)) }
}

// If an optional Bool is NULL, the condition that is made from it is NULL, too, as in SQL. So `!a`
// is NULL if `a` is NULL, like the negation of any other condition that is NULL.
extension SQLExpression: SIMDLogic where Value: BoolColumnValue {
  /// SQL: `a = 1`; programs do not use it directly.
  public var _condition: SQLPredicate { SQLExpression<Bool>(node).isTrue }
  /// SQL: `a = 0`; programs do not use it directly.
  public var _negation: SQLPredicate { SQLExpression<Bool>(node).isFalse }
}

extension SIMDLogic {
  /// Returns a condition that holds if both operands hold.
  /// SQL: `a AND b`, or `a = 1 AND b = 1` for columns
  @inlinable
  public static func && <Right: SIMDLogic>(
    left: consuming Self, right: consuming Right
  ) -> SQLPredicate {
    SQLPredicate(.and(left._condition.node, right._condition.node))
  }

  /// Returns a condition that holds if at least one operand holds.
  /// SQL: `a OR b`, or `a = 1 OR b = 1` for columns
  @inlinable
  public static func || <Right: SIMDLogic>(
    left: consuming Self, right: consuming Right
  ) -> SQLPredicate {
    SQLPredicate(.or(left._condition.node, right._condition.node))
  }

  /// Returns the negation; NULL stays NULL. SQL: `NOT a`, or `a = 0` for a column
  @inlinable
  public static prefix func ! (operand: Self) -> SQLPredicate { operand._negation }
}
