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
