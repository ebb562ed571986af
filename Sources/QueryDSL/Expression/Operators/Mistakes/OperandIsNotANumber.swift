import SQLCore

// These overloads exist for their error messages. Without them, the compiler searches all operators
// of all types for a way to read `n * 2 + m * 3 - "x"`. The search takes minutes, and ends without
// a message.
//
// The compiler finds these overloads in its ordinary search, after the correct overloads have
// failed, and the search ends. Only then does the compiler check isolation. It rejects the
// overload, because the overload is isolated to an actor. The name of the actor is the message. An
// unavailable overload would not help, because the compiler looks at it only in its slow second
// search. After an unavailable conformance, the compiler would continue its search.
//
// Each overload matches only mistakes, and never correct operands. A mistake in one part of an
// expression therefore does not double the number of ways to read the other parts. For this reason,
// the overloads do not need `@_disfavoredOverload`, and the search ends with the first overload
// that matches. If they were disfavoured, the compiler would go on to try all other readings with
// disfavoured overloads. A column in an update has three such readings. `TypeCheckingTests` limits
// the number of scopes, which are the steps of the search.
//
// No overload has a concrete result type, such as `SQLExpression<Int>`. If an overload had one, the
// compiler would try this overload first wherever the context needs that type.

/// An actor whose name appears in a compile error as the reason: an operand of arithmetic is a
/// text, a date or another value that is not a number. Programs do not use it directly.
@globalActor
public actor OperandIsNotANumber {
  /// The instance that `@globalActor` requires. It does nothing.
  public static let shared = OperandIsNotANumber()

  static var error: QueryError { QueryError("an operand of arithmetic is not a number") }
}

extension SQLExpression where Value: AdditiveColumnValue {
  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func + <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func + <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLExpression {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func + <Other: ColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func - <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func - <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLExpression {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func - <Other: ColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func * <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func * <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLExpression {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func * <Other: ColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func / <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func / <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLExpression {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: one of the operands is not a number.
  @OperandIsNotANumber
  public static func / <Other: ColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic == _NotANumberKind {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }
}

extension SQLExpression {
  /// Not available: the left operand is not a number.
  @OperandIsNotANumber
  public static func + <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @OperandIsNotANumber
  public static func - <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @OperandIsNotANumber
  public static func * <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @OperandIsNotANumber
  public static func / <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.invalid(OperandIsNotANumber.error))
  }
}

extension _ExpressionOfNoNumber {
  /// Not available: the left operand is not a number.
  @OperandIsNotANumber
  public static func + <Other: ColumnValue>(
    left: Self, right: Other
  ) -> SQLExpression<Other> {
    SQLExpression<Other>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @OperandIsNotANumber
  public static func - <Other: ColumnValue>(
    left: Self, right: Other
  ) -> SQLExpression<Other> {
    SQLExpression<Other>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @OperandIsNotANumber
  public static func * <Other: ColumnValue>(
    left: Self, right: Other
  ) -> SQLExpression<Other> {
    SQLExpression<Other>(.invalid(OperandIsNotANumber.error))
  }

  /// Not available: the left operand is not a number.
  @OperandIsNotANumber
  public static func / <Other: ColumnValue>(
    left: Self, right: Other
  ) -> SQLExpression<Other> {
    SQLExpression<Other>(.invalid(OperandIsNotANumber.error))
  }
}
