/// A number, or an optional of one, that queries can add, subtract, multiply and sum up. If an
/// operand is NULL, the result is NULL.
///
/// Decimal is such a number. A number for which SQLite's own operators suffice is a
/// `NumericColumnValue`.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol AdditiveColumnValue: OrderedColumnValue {
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

/// The names of the SQL functions that replace `+`, `-`, `*` and `sum` for numbers that SQLite's
/// operators would round.
///
/// The functions must be registered on each connection. A `RawRepresentable` type uses the
/// functions and the collation of its raw value.
/// - SeeAlso: <https://www.sqlite.org/floatingpoint.html#the_decimal_c_extension>
public struct ArithmeticFunctions: Hashable, Sendable {
  /// The function that adds two numbers.
  public let addition: String
  /// The function that subtracts the second number from the first.
  public let subtraction: String
  /// The function that multiplies two numbers.
  public let multiplication: String
  /// The aggregate function that sums up the values that are not NULL.
  public let sum: String
  /// The function that converts another value to such a number.
  public let conversion: String

  /// Makes a set of functions from their names.
  public init(
    addition: String, subtraction: String, multiplication: String, sum: String, conversion: String
  ) {
    self.conversion = conversion
    self.addition = addition
    self.subtraction = subtraction
    self.multiplication = multiplication
    self.sum = sum
  }

  /// Exact arithmetic of decimal numbers; every connection has these functions.
  /// - SeeAlso: <https://www.sqlite.org/floatingpoint.html#the_decimal_c_extension>
  public static let decimal = ArithmeticFunctions(
    addition: "decimal_add", subtraction: "decimal_sub", multiplication: "decimal_mul",
    sum: "decimal_sum", conversion: "decimal")
}

/// A number that SQLite's own operators calculate with.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol NumericColumnValue: ArithmeticColumnValue, Numeric {}

/// A number that SQLite's own operators calculate with, or an optional of one. If an operand is
/// NULL, the result is NULL.
///
/// Types of your own conform to `NumericColumnValue` instead.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol ArithmeticColumnValue: AdditiveColumnValue {
  /// Double, or `Double?` if the number is optional; programs do not use it directly.
  associatedtype RealResult: ColumnValue = Double
}
