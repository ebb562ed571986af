/// A column value whose stored form sorts in SQL as the value sorts in Swift, so that `<`, `min`
/// and `ORDER BY` agree with Swift.
///
/// Your own type may conform if its stored values have the same order as its Swift values.
/// - SeeAlso: <https://www.sqlite.org/datatype3.html#comparison_expressions>
public protocol OrderedColumnValue: ColumnValue {}

/// A number, or an optional number, that queries can add, subtract, multiply and sum up. If an
/// operand is NULL, the result is NULL.
///
/// Decimal conforms to this protocol directly. A number for which SQLite's own operators suffice
/// conforms to `NumericColumnValue` instead.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol AdditiveColumnValue: OrderedColumnValue {
  /// The kind of number, which determines the numbers that it can be combined with; programs do not
  /// use it directly.
  associatedtype _Arithmetic = _OwnNumberKind

  /// The SQL functions that calculate with the type. Default: nil, which means `+`, `-`, `*` and
  /// `sum`.
  static var arithmetic: ArithmeticFunctions? { get }
}

extension AdditiveColumnValue {
  /// Nil, which stands for SQLite's own operators.
  @inlinable
  public static var arithmetic: ArithmeticFunctions? { nil }
}

extension AdditiveColumnValue where Self: RawRepresentable, RawValue: AdditiveColumnValue {
  /// The SQL functions that calculate with the raw value.
  @inlinable
  public static var arithmetic: ArithmeticFunctions? { RawValue.arithmetic }
}

/// A number, or an optional number, with which SQLite's own operators can calculate. If an operand
/// is NULL, the result is NULL.
///
/// Types of your own conform to `NumericColumnValue` instead.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol ArithmeticColumnValue: AdditiveColumnValue {
  /// Double, or `Double?` if the number is optional; programs do not use it directly.
  associatedtype RealResult: ColumnValue = Double
}

/// A number with which SQLite's own operators can calculate.
/// - SeeAlso: <https://www.sqlite.org/lang_expr.html#operators_and_parse_affecting_attributes>
public protocol NumericColumnValue: ArithmeticColumnValue, Numeric {}

// The following types stand for kinds of numbers. Only the compiler uses them. Some operators of
// queries exist only so that the compiler reports a clear error. By the kinds, these operators
// recognise operands that cannot be combined.

/// The kind of a number.
public protocol _NumberKind {}

/// The kind of a number that can be combined in a query with numbers of other kinds, such as an
/// integer with a real number.
public protocol _BinaryNumberKind: _NumberKind {}

/// The kind of a number that can be combined only with its own type.
public protocol _SeparateNumberKind: _NumberKind {}

/// The kind of a type that is not a number.
public enum _NotANumberKind {}

/// The kind of Int.
public enum _IntegerKind: _BinaryNumberKind {}

/// The kind of the other integers, such as Int64, which cannot be combined with an Int.
public enum _SizedIntegerKind: _BinaryNumberKind {}

/// The kind of Double.
public enum _RealKind: _BinaryNumberKind {}

/// The kind of Decimal, of Float, and of the numbers that a program declares.
public enum _OwnNumberKind: _SeparateNumberKind {}

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
  /// The function that converts a value of another type to such a number.
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
