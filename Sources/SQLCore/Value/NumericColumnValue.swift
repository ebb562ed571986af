/// A number, or an optional of one, that queries add, subtract, multiply and sum up; NULL makes every
/// result NULL.
///
/// Decimal is one. A number that SQLite's own operators calculate with is a `NumericColumnValue`.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol AdditiveColumnValue: OrderedColumnValue {
  /// The functions that calculate with it; nil, the default, where `+`, `-`, `*` and `sum` do.
  static var arithmetic: ArithmeticFunctions? { get }
}

extension AdditiveColumnValue {
  /// None: SQLite's own operators.
  @inlinable
  public static var arithmetic: ArithmeticFunctions? { nil }
}

extension AdditiveColumnValue where Self: RawRepresentable, RawValue: AdditiveColumnValue {
  /// Those of the raw value.
  @inlinable
  public static var arithmetic: ArithmeticFunctions? { RawValue.arithmetic }
}

/// The names of the SQL functions that calculate in the place of `+`, `-`, `*` and `sum`, with numbers
/// that those would round.
///
/// Each connection must have them. A type of your own that is `RawRepresentable` takes those of its raw
/// value, and its collation.
/// - SeeAlso: <https://www.sqlite.org/floatingpoint.html#the_decimal_c_extension>
public struct ArithmeticFunctions: Hashable, Sendable {
  /// The function of two numbers that gives their sum.
  public let addition: String
  /// The function of two numbers that gives their difference.
  public let subtraction: String
  /// The function of two numbers that gives their product.
  public let multiplication: String
  /// The aggregate that gives the sum of those that are not NULL.
  public let sum: String
  /// The function that gives the number that another value is.
  public let conversion: String

  /// Functions by their names.
  public init(
    addition: String, subtraction: String, multiplication: String, sum: String, conversion: String
  ) {
    self.conversion = conversion
    self.addition = addition
    self.subtraction = subtraction
    self.multiplication = multiplication
    self.sum = sum
  }

  /// Exact arithmetic of decimal numbers, which every connection has.
  /// - SeeAlso: <https://www.sqlite.org/floatingpoint.html#the_decimal_c_extension>
  public static let decimal = ArithmeticFunctions(
    addition: "decimal_add", subtraction: "decimal_sub", multiplication: "decimal_mul",
    sum: "decimal_sum", conversion: "decimal")
}

/// A number that SQLite calculates with.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol NumericColumnValue: ArithmeticColumnValue, Numeric {}

/// A number that SQLite calculates with, or an optional of one, with which NULL makes every result
/// NULL.
///
/// A number of your own conforms to `NumericColumnValue`.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol ArithmeticColumnValue: AdditiveColumnValue {
  /// Double; an optional of it where the number is optional.
  associatedtype RealResult: ColumnValue = Double
}
