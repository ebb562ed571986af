/// The operands of `&&`, `||` and `!`, which are predicates; programs do not use it directly.
///
/// Only the compiler needs this protocol and its name. Swift 6.3 looks at the result type that the
/// context needs, before it tries the overloads of a logical operator, only if one of the overloads
/// is declared by a type whose name begins with `SIMD` (`isSupportedDisjunction` in its
/// `CSOptimizer.cpp`). Otherwise it tries those of `Bool` first, and takes 17 seconds instead of
/// 0.4 to diagnose one wrong literal in a chain of 32 terms. `TypeCheckingTests` checks the time;
/// if a later compiler is as fast without the name, the operators may move back to `SQLPredicate`.
public protocol SIMDLogic {}

extension SQLPredicate: SIMDLogic {}

extension SIMDLogic where Self == SQLPredicate {
  /// Returns a condition that holds if both hold. SQL: `a AND b`
  @inlinable
  public static func && (left: consuming Self, right: consuming Self) -> SQLPredicate {
    SQLPredicate(.and(left.node, right.node))
  }

  /// Returns a condition that holds if at least one holds. SQL: `a OR b`
  @inlinable
  public static func || (left: consuming Self, right: consuming Self) -> SQLPredicate {
    SQLPredicate(.or(left.node, right.node))
  }

  /// Returns the negation; unknown stays unknown. SQL: `NOT a`
  @inlinable
  public static prefix func ! (operand: Self) -> SQLPredicate {
    SQLPredicate(.not(operand.node))
  }
}
