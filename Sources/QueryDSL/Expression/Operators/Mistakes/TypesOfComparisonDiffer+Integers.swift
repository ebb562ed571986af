import SQLCore

// Comparisons of an Int with an Int64 or another integer. `TypesOfComparisonDiffer.swift` says why
// these overloads are disfavoured.

extension SQLExpression where Value: AdditiveColumnValue, Value._Arithmetic == _IntegerKind {
  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func == <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func != <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func < <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func <= <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func > <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func >= <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }
}

extension SQLExpression where Value: AdditiveColumnValue, Value._Arithmetic == _SizedIntegerKind {
  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func == <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _IntegerKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func == <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func != <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _IntegerKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func != <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func < <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _IntegerKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func < <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func <= <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _IntegerKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func <= <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func > <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _IntegerKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func > <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func >= <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _IntegerKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are integers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func >= <Other: _SizedIntegerOperand>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }
}
