import SQLCore

// Comparisons of a number that may be NULL with a number that is never NULL.
// `TypesOfComparisonDiffer.swift` says why these overloads are disfavoured. With `==` and `!=`, an
// optional expression may be compared with an expression that is never NULL. So the overloads of
// these two operators below accept only Swift values, and no expressions.

extension SQLExpression where Value: AdditiveColumnValue, Value._Nullability == _NeverNull {
  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func == <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == _MaybeNull {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func != <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == _MaybeNull {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func < <Other: _OptionalNumberOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func < <Other: _OptionalNumberOperand>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func <= <Other: _OptionalNumberOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func <= <Other: _OptionalNumberOperand>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func > <Other: _OptionalNumberOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func > <Other: _OptionalNumberOperand>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func >= <Other: _OptionalNumberOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }

  /// Not available: one operand is optional, and the other is not.
  @_disfavoredOverload @OneOperandMayBeNull
  public static func >= <Other: _OptionalNumberOperand>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OneOperandMayBeNull.error))
  }
}
