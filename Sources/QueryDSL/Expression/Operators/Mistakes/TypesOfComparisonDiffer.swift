import SQLCore

// Comparisons of a number with a value that is not a number. `OperandIsNotANumber.swift` says why
// these overloads exist.
//
// The overloads are disfavoured, so that the compiler skips them after it has found a correct
// comparison. Otherwise, the compiler's solver would open 20 percent more scopes for a long
// condition. Scopes are the steps of its search.

/// An actor whose name appears in a compile error as the reason: the operands of a comparison are
/// of different types. Programs do not use it directly.
@globalActor
public actor TypesOfComparisonDiffer {
  /// The instance that `@globalActor` requires. It does nothing.
  public static let shared = TypesOfComparisonDiffer()

  static var error: QueryError { QueryError("the operands of a comparison differ in type") }
}

extension SQLExpression where Value: AdditiveColumnValue {
  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func == <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _NotANumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func == <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func == <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func != <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _NotANumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func != <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func != <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func < <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _NotANumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func < <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func < <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func <= <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _NotANumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func <= <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func <= <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func > <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _NotANumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func > <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func > <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func >= <Other: ColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic == _NotANumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func >= <Other: _ExpressionOfNoNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: one of the operands is not a number.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func >= <Other: _ExpressionOfNoNumber>(
    left: Other, right: SQLExpression
  ) -> SQLPredicate {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }
}

extension SQLExpression where Value: AdditiveColumnValue, Value._Arithmetic: _BinaryNumberKind {
  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func == <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func == <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic: _SeparateNumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func != <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func != <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic: _SeparateNumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func < <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func < <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic: _SeparateNumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func <= <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func <= <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic: _SeparateNumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func > <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func > <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic: _SeparateNumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func >= <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Nullability == Value._Nullability {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }

  /// Not available: the operands are numbers of different types.
  @_disfavoredOverload @TypesOfComparisonDiffer
  public static func >= <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLPredicate
  where Other._Arithmetic: _SeparateNumberKind {
    SQLPredicate(.invalid(TypesOfComparisonDiffer.error))
  }
}
