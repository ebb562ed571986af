import SQLCore

// Operators between two numbers whose types cannot be combined, such as an Int and a Decimal.
// `OperandIsNotANumber.swift` says why these overloads exist.

/// An actor whose name appears in a compile error as the reason: the operands of arithmetic are
/// numbers of different types, such as an Int and a Decimal. Programs do not use it directly.
@globalActor
public actor NumbersOfDifferentTypes {
  /// The instance that `@globalActor` requires. It does nothing.
  public static let shared = NumbersOfDifferentTypes()

  static var error: QueryError {
    QueryError("the operands of arithmetic are numbers of different types")
  }
}

extension SQLExpression where Value: AdditiveColumnValue, Value._Arithmetic: _BinaryNumberKind {
  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func + <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func + <Other: _ExpressionOfSeparateNumber>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func + <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic: _SeparateNumberKind {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func + <Other: AdditiveColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic: _SeparateNumberKind {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func - <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func - <Other: _ExpressionOfSeparateNumber>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func - <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic: _SeparateNumberKind {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func - <Other: AdditiveColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic: _SeparateNumberKind {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func * <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func * <Other: _ExpressionOfSeparateNumber>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func * <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic: _SeparateNumberKind {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func * <Other: AdditiveColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic: _SeparateNumberKind {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func / <Other: _ExpressionOfSeparateNumber>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func / <Other: _ExpressionOfSeparateNumber>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Nullability == Value._Nullability {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func / <Other: AdditiveColumnValue>(
    left: SQLExpression, right: Other
  ) -> SQLExpression
  where Other._Arithmetic: _SeparateNumberKind {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }

  /// Not available: the operands are numbers of different types.
  @NumbersOfDifferentTypes
  public static func / <Other: AdditiveColumnValue>(
    left: Other, right: SQLExpression
  ) -> SQLExpression
  where Other._Arithmetic: _SeparateNumberKind {
    SQLExpression(.invalid(NumbersOfDifferentTypes.error))
  }
}
