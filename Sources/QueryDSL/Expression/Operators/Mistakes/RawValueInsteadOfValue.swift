import SQLCore

// Comparisons with the raw value of an enumeration in place of the case, such as
// `$0.$status == "draft"`. `TypesOfComparisonDiffer.swift` says why these overloads are
// disfavoured.

/// An actor whose name appears in a compile error as the reason: a column is compared with the raw
/// value of its type, such as a text in place of the case of an enumeration. Programs do not use it
/// directly.
@globalActor
public actor RawValueInsteadOfValue {
  /// The instance that `@globalActor` requires. It does nothing.
  public static let shared = RawValueInsteadOfValue()

  static var error: QueryError { QueryError("a column is compared with a raw value") }
}

extension SQLExpression where Value: RawRepresentable {
  /// Not available: write a value of the column's type, such as `.draft`.
  @_disfavoredOverload @RawValueInsteadOfValue
  public static func == (left: SQLExpression, right: Value.RawValue) -> SQLPredicate {
    SQLPredicate(.invalid(RawValueInsteadOfValue.error))
  }

  /// Not available: write a value of the column's type, such as `.draft`.
  @_disfavoredOverload @RawValueInsteadOfValue
  public static func != (left: SQLExpression, right: Value.RawValue) -> SQLPredicate {
    SQLPredicate(.invalid(RawValueInsteadOfValue.error))
  }
}
