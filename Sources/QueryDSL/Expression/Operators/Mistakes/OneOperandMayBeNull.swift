import SQLCore

// Arithmetic of a number that may be NULL with a number that is never NULL.
// `OperandIsNotANumber.swift` says why these overloads exist.

/// An actor whose name appears in a compile error as the reason: one operand of arithmetic is an
/// optional number, and the other is not. Programs do not use it directly.
@globalActor
public actor OneOperandMayBeNull {
  /// The instance that `@globalActor` requires. It does nothing.
  public static let shared = OneOperandMayBeNull()

  static var error: QueryError {
    QueryError("one operand of arithmetic is an optional number, and the other is not")
  }
}

extension SQLExpression where Value: AdditiveColumnValue, Value._Nullability == _NeverNull {
  /// Not available: one operand is optional, and the other is not.
  @OneOperandMayBeNull
  public static func + <Other: _OptionalNumberOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression {
    SQLExpression(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @OneOperandMayBeNull
  public static func + <Other: _OptionalNumberOperand>(
    left: Other, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @OneOperandMayBeNull
  public static func - <Other: _OptionalNumberOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression {
    SQLExpression(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @OneOperandMayBeNull
  public static func - <Other: _OptionalNumberOperand>(
    left: Other, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @OneOperandMayBeNull
  public static func * <Other: _OptionalNumberOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression {
    SQLExpression(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @OneOperandMayBeNull
  public static func * <Other: _OptionalNumberOperand>(
    left: Other, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @OneOperandMayBeNull
  public static func / <Other: _OptionalNumberOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression {
    SQLExpression(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @OneOperandMayBeNull
  public static func / <Other: _OptionalNumberOperand>(
    left: Other, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.invalid(OneOperandMayBeNull.error))
  }
}
