import SQLCore

// Arithmetic of an Int with an Int64 or another integer. `OperandIsNotANumber.swift` says why these
// overloads exist.
//
// Without these overloads, the compiler would also read `$0.$int * 2 + $0.$int64` as a sum of real
// numbers, because `$0.$int * 2` can be a real number.

extension SQLExpression where Value: AdditiveColumnValue, Value._Arithmetic == _IntegerKind {
  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func + <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func + <Other: _SizedIntegerOperand>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func - <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func - <Other: _SizedIntegerOperand>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func * <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func * <Other: _SizedIntegerOperand>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func / <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func / <Other: _SizedIntegerOperand>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }
}

// Each overload below also matches correct operands. However, its result is an implicitly unwrapped
// optional. The compiler prefers any other overload whose result is not such an optional, unless
// that overload is disfavoured. `$0.$int64 + 2` therefore stays a sum of integers.
extension SQLExpression where Value: AdditiveColumnValue, Value._Arithmetic == _SizedIntegerKind {
  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func + <Other: AdditiveColumnValue & FixedWidthInteger>(
    left: SQLExpression, right: Other
  ) -> SQLExpression! {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func + <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression!
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func - <Other: AdditiveColumnValue & FixedWidthInteger>(
    left: SQLExpression, right: Other
  ) -> SQLExpression! {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func - <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression!
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func * <Other: AdditiveColumnValue & FixedWidthInteger>(
    left: SQLExpression, right: Other
  ) -> SQLExpression! {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func * <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression!
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func / <Other: AdditiveColumnValue & FixedWidthInteger>(
    left: SQLExpression, right: Other
  ) -> SQLExpression! {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are integers of different types.
  @NumbersOfDifferentTypes
  public static func / <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLExpression!
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }
}
