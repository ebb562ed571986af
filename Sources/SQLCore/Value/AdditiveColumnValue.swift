/// A number, or an optional of one, that queries can add, subtract, multiply and sum up. If an
/// operand is NULL, the result is NULL.
///
/// Decimal is such a number. A number for which SQLite's own operators suffice is a
/// `NumericColumnValue`.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol AdditiveColumnValue: OrderedColumnValue {
  /// The kind of number, which says with which other numbers it goes; programs do not use it
  /// directly.
  associatedtype _Arithmetic = _OwnNumberKind

  /// The SQL functions that calculate with it. Default: nil, which means `+`, `-`, `*` and `sum`.
  static var arithmetic: ArithmeticFunctions? { get }
}

extension AdditiveColumnValue {
  /// Nil: SQLite's own operators.
  @inlinable
  public static var arithmetic: ArithmeticFunctions? { nil }
}

extension AdditiveColumnValue where Self: RawRepresentable, RawValue: AdditiveColumnValue {
  /// The functions of the raw value.
  @inlinable
  public static var arithmetic: ArithmeticFunctions? { RawValue.arithmetic }
}
