import SQLCore

// These overloads exist for their error messages. Without them the compiler searches all operators
// of all types for a way out of `n * 2 + m * 3 - "x"`: minutes, and then no message.
//
// The compiler finds these overloads in its ordinary search, once the right overloads have failed,
// and so the search ends with them. The isolation to an actor rejects them, because the compiler
// checks isolation after the search. An unavailable overload would not do: the compiler looks at it
// only in its slow second search. Beyond an unavailable conformance it would go on searching. The
// name of the actor is the message.
//
// Each overload matches only mistakes, never correct operands, so that a mistake in one place does
// not double the ways to read the others. That is also why they are not disfavoured: the result of
// a mistake is as good as any other, and the search ends with the first. Otherwise the search would
// go on through all other disfavoured readings; a column of an update has three.
// `TypeCheckingTests` bounds the scopes of both.
//
// None has a result of a type that is written out, such as `SQLExpression<Int>`: where the type of
// the whole is known from outside, the compiler would try that overload first.

/// The reason of a compile error: an operand of arithmetic is a text, a date or another value that
/// is not a number. Programs do not use it directly.
@globalActor
public actor OperandIsNotANumber {
  /// The actor, which never does anything.
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
