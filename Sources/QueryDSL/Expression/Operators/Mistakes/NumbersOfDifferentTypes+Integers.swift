import SQLCore

// Arithmetic of an Int with an Int64 or another integer. `OperandIsNotANumber.swift` says why these
// overloads exist.
//
// Without these overloads, the compiler would also read `$0.$int * 2 + $0.$int64` as a sum of real
// numbers, because it can read the 2 as a Double, which makes `$0.$int * 2` a real number.

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

// The overloads below also match correct operands. But each of them returns an implicitly unwrapped
// optional. If an overload that returns no such optional also matches, the compiler prefers it,
// unless it is disfavoured. `$0.$int64 + 2` therefore stays a sum of integers.
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
