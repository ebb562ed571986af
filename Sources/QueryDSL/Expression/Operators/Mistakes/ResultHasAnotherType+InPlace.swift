import SQLCore

// `+=` and similar operators with an operand of another type than the column;
// `OperandIsNotANumber.swift` says why these overloads exist. They are disfavoured, as the right
// ones for values are.
//
// If the column can be set to a literal, the value must not have a type that the compiler infers
// for the same literal: `$0.$double += 1` is right.

extension SQLExpression {
  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func += <Other: _ExpressionOfAnotherType>(
    left: inout SQLExpression, right: Other?
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func -= <Other: _ExpressionOfAnotherType>(
    left: inout SQLExpression, right: Other?
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func *= <Other: _ExpressionOfAnotherType>(
    left: inout SQLExpression, right: Other?
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func /= <Other: _ExpressionOfAnotherType>(
    left: inout SQLExpression, right: Other?
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }
}

extension SQLExpression where Value: AdditiveColumnValue {
  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func += <Other: ColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Arithmetic == _NotANumberKind {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func -= <Other: ColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Arithmetic == _NotANumberKind {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func *= <Other: ColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Arithmetic == _NotANumberKind {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func /= <Other: ColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Arithmetic == _NotANumberKind {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }
}

extension SQLExpression where Value: FixedWidthInteger & NumericColumnValue {
  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func += <Other: _RealValue>(
    left: inout SQLExpression, right: Other
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func -= <Other: _RealValue>(
    left: inout SQLExpression, right: Other
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func *= <Other: _RealValue>(
    left: inout SQLExpression, right: Other
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func /= <Other: _RealValue>(
    left: inout SQLExpression, right: Other
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }
}

extension SQLExpression where Value: AdditiveColumnValue, Value._Arithmetic == _IntegerKind {
  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func += <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Arithmetic == _SizedIntegerKind {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func -= <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Arithmetic == _SizedIntegerKind {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func *= <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Arithmetic == _SizedIntegerKind {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func /= <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Arithmetic == _SizedIntegerKind {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }
}

extension SQLExpression where Value: AdditiveColumnValue, Value._Nullability == _NeverNull {
  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func += <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Nullability == _MaybeNull {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func -= <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Nullability == _MaybeNull {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func *= <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Nullability == _MaybeNull {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func /= <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) where Other._Nullability == _MaybeNull {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }
}

extension SQLExpression where Value._Arithmetic == _NotANumberKind {
  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func += <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func -= <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func *= <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }

  /// Not available: the operand has another type than the column.
  @_disfavoredOverload @ResultHasAnotherType
  public static func /= <Other: AdditiveColumnValue>(
    left: inout SQLExpression, right: Other
  ) {
    left = SQLExpression(.invalid(ResultHasAnotherType.error))
  }
}

/// An expression on the right of an operator in place; programs do not use it directly.
public protocol _ExpressionOfAnotherType {}

extension SQLExpression: _ExpressionOfAnotherType {}
