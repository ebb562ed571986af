import SQLCore

// `+=` and similar operators with an operand of another type than the column.
// `OperandIsNotANumber.swift` says why these overloads exist. The overloads are disfavoured, like
// the correct overloads for values.
//
// No overload may match a literal that is correct, such as the 1 in `$0.$double += 1`. Such a
// literal has a default type, which is Int for 1. So if a column accepts a kind of literal, no
// overload for this column takes the default type of these literals.

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

/// An expression on the right side of `+=` or another operator that changes its left side; programs
/// do not use it directly.
public protocol _ExpressionOfAnotherType {}

extension SQLExpression: _ExpressionOfAnotherType {}
