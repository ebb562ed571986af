/// A number that SQLite's own operators calculate with.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol NumericColumnValue: ArithmeticColumnValue, Numeric {}
