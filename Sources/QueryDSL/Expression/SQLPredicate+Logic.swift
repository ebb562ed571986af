/// What `&&`, `||` and `!` combine: predicates.
///
/// The operators belong to this protocol, and it has its name, for the sake of the compiler alone.
/// Swift 6.3 asks which result the context wants before it tries the overloads of a logical
/// operator only where one of them is declared by a type whose name begins with `SIMD`
/// (`isSupportedDisjunction` in its `CSOptimizer.cpp`). Otherwise it tries `Bool`'s first, and to
/// explain one wrong literal among 32 terms of a chain takes it 17 seconds instead of 0.4.
/// `TypeCheckingTests` holds the bound; where a later compiler keeps it without the name, the
/// operators may go back to `SQLPredicate`.
public protocol SIMDLogic {}

extension SQLPredicate: SIMDLogic {}

extension SIMDLogic where Self == SQLPredicate {
  /// Both hold. SQL: `a AND b`
  @inlinable
  public static func && (left: Self, right: Self) -> SQLPredicate {
    SQLPredicate(.and(left.node, right.node))
  }

  /// One holds, or both. SQL: `a OR b`
  @inlinable
  public static func || (left: Self, right: Self) -> SQLPredicate {
    SQLPredicate(.or(left.node, right.node))
  }

  /// It does not hold; what is unknown stays unknown. SQL: `NOT a`
  @inlinable
  public static prefix func ! (operand: Self) -> SQLPredicate {
    SQLPredicate(.not(operand.node))
  }
}
