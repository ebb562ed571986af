/// A number that SQLite's own operators calculate with, or an optional of one. If an operand is
/// NULL, the result is NULL.
///
/// Types of your own conform to `NumericColumnValue` instead.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol ArithmeticColumnValue: AdditiveColumnValue {
  /// Double, or `Double?` if the number is optional; programs do not use it directly.
  associatedtype RealResult: ColumnValue = Double
}
