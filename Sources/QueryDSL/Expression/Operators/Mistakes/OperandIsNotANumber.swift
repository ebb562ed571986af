import SQLCore

// These overloads exist for their error messages. Without them the compiler searches all operators
// of all types for a way out of `n * 2 + m * 3 - "x"`: minutes, and then no message.
//
// They are found in the ordinary search, once the right overloads have failed, and so end it. What
// rejects them is the isolation to an actor, which the compiler checks after the search: it looks
// at an unavailable overload only in its second search, the slow one, and goes on searching beyond
// an unavailable conformance. The name of the actor is the message.
//
// Each applies to mistakes only, never to correct operands, so that a mistake in one place does not
// double the ways to read the others. `TypeCheckingTests` bounds the scopes of both.

/// The reason of a compile error: an operand of arithmetic, or of a comparison with a number, is a
/// text, a date or something else that is not a number. Programs do not use it directly.
@globalActor
public actor OperandIsNotANumber {
  /// The actor, which never does anything.
  public static let shared = OperandIsNotANumber()

  static var error: QueryError { QueryError("an operand of arithmetic is not a number") }
}

extension SQLExpression where Value: AdditiveColumnValue {
  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func + <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func + <Other: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func + <Other: ColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func - <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func - <Other: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func - <Other: ColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func * <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func * <Other: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func * <Other: ColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func / <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func / <Other: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func / <Other: ColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }
}

extension SQLExpression where Value._Arithmetic == _NotANumberKind {
  /// Not available: the left operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func + <Other: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLExpression<Other> {
    SQLExpression<Other>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func + <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression<Int> {
    SQLExpression<Int>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func - <Other: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLExpression<Other> {
    SQLExpression<Other>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func - <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression<Int> {
    SQLExpression<Int>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func * <Other: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLExpression<Other> {
    SQLExpression<Other>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func * <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression<Int> {
    SQLExpression<Int>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func / <Other: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Other>
  ) -> SQLExpression<Other> {
    SQLExpression<Other>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @_disfavoredOverload @OperandIsNotANumber
  public static func / <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression<Int> {
    SQLExpression<Int>(.invalid(OperandIsNotANumber.error))
  }
}
