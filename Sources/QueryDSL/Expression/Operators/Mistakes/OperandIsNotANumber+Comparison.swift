import SQLCore

// Comparisons of a number with something else; `OperandIsNotANumber.swift` says why they exist.
//
// They name the types, by a protocol. A condition on `_Arithmetic`, as arithmetic has, would appear
// in the messages for other comparisons.

extension SQLExpression where Value: AdditiveColumnValue {
  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func == <Other: NotANumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func == <Other: NotANumber>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func != <Other: NotANumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func != <Other: NotANumber>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func < <Other: NotANumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func < <Other: NotANumber>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func <= <Other: NotANumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func <= <Other: NotANumber>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func > <Other: NotANumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func > <Other: NotANumber>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func >= <Other: NotANumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the other operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func >= <Other: NotANumber>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLPredicate {
    SQLPredicate(.invalid(OperandIsNotANumber.error))
  }
}
