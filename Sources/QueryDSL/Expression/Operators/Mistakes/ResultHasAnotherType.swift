import SQLCore

// Arithmetic whose result does not have the type of the column to which it is assigned, or the type
// that its context expects. `OperandIsNotANumber.swift` says why these overloads exist.
//
// The compiler reads an expression from its operands to its last operator. If the last operator
// does not give the expected type, the compiler would try all other combinations of overloads,
// which are millions for eight operators. The result of the overloads in this file can have any
// type. So one of them matches, and the search ends.
//
// The overloads also match correct code, but the compiler does not choose them there: they convert
// an operand to an optional three times, and the compiler prefers a reading with fewer such
// conversions. There is one exception: the compiler prefers these overloads to a reading in which
// an integer literal is a real number. `$0.$double = $0.$int / 2` is therefore a mistake, as in
// Swift, and not a quotient of real numbers.

/// An actor whose name appears in a compile error as the reason: the result of arithmetic is
/// assigned to a column of another type, or stands where another type is expected. Programs do not
/// use it directly.
@globalActor
public actor ResultHasAnotherType {
  /// The instance that `@globalActor` requires. It does nothing.
  public static let shared = ResultHasAnotherType()

  static var error: QueryError {
    QueryError("the result of arithmetic has another type than the place where it stands")
  }
}

extension SQLExpression where Value: AdditiveColumnValue {
  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func + <Result: ColumnValue>(
    left: SQLExpression, right: SQLExpression???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func + <Result: ColumnValue>(
    left: SQLExpression, right: Value???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func + <Result: ColumnValue>(
    left: Value???, right: SQLExpression
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func - <Result: ColumnValue>(
    left: SQLExpression, right: SQLExpression???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func - <Result: ColumnValue>(
    left: SQLExpression, right: Value???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func - <Result: ColumnValue>(
    left: Value???, right: SQLExpression
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func * <Result: ColumnValue>(
    left: SQLExpression, right: SQLExpression???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func * <Result: ColumnValue>(
    left: SQLExpression, right: Value???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func * <Result: ColumnValue>(
    left: Value???, right: SQLExpression
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }
}

extension SQLExpression where Value: ArithmeticColumnValue {
  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func / <Result: ColumnValue>(
    left: SQLExpression, right: SQLExpression???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func / <Result: ColumnValue>(
    left: SQLExpression, right: Value???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func / <Result: ColumnValue>(
    left: Value???, right: SQLExpression
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }
}

extension SQLExpression where Value == Double {
  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func + <Integer: FixedWidthInteger & NumericColumnValue, Result: ColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func + <Integer: FixedWidthInteger & NumericColumnValue, Result: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func - <Integer: FixedWidthInteger & NumericColumnValue, Result: ColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func - <Integer: FixedWidthInteger & NumericColumnValue, Result: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func * <Integer: FixedWidthInteger & NumericColumnValue, Result: ColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func * <Integer: FixedWidthInteger & NumericColumnValue, Result: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func / <Integer: FixedWidthInteger & NumericColumnValue, Result: ColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func / <Integer: FixedWidthInteger & NumericColumnValue, Result: ColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }
}

extension SQLExpression where Value: FixedWidthInteger & NumericColumnValue {
  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func + <Real: _RealValue, Result: ColumnValue>(
    left: SQLExpression, right: Real???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func + <Real: _RealValue, Result: ColumnValue>(
    left: Real???, right: SQLExpression
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func - <Real: _RealValue, Result: ColumnValue>(
    left: SQLExpression, right: Real???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func - <Real: _RealValue, Result: ColumnValue>(
    left: Real???, right: SQLExpression
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func * <Real: _RealValue, Result: ColumnValue>(
    left: SQLExpression, right: Real???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func * <Real: _RealValue, Result: ColumnValue>(
    left: Real???, right: SQLExpression
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func / <Real: _RealValue, Result: ColumnValue>(
    left: SQLExpression, right: Real???
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the result does not have the expected type.
  @ResultHasAnotherType
  public static func / <Real: _RealValue, Result: ColumnValue>(
    left: Real???, right: SQLExpression
  ) -> SQLExpression<Result> {
    SQLExpression<Result>(.invalid(ResultHasAnotherType.error))
  }
}
