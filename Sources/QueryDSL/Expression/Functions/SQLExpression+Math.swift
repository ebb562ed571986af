import SQLCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// SQLite's mathematical functions. A function that is not defined for every number, such as the
// square root, returns NULL outside its domain, so its result is optional.
// https://www.sqlite.org/lang_mathfunc.html

extension SQLExpression where Value: ArithmeticColumnValue {
  /// Returns the absolute value; for `Int64.min`, the query throws `DatabaseError`. SQL: `abs(a)`
  public func abs() -> SQLExpression { SQLExpression(.function("abs", [node])) }

  /// Returns the sign of the number: -1, 0 or 1. SQL: `sign(a)`
  public func sign() -> SQLExpression { SQLExpression(.function("sign", [node])) }

  /// Rounds the number to `digits` decimal places; a half is rounded away from zero.
  /// SQL: `round(a, ?)`
  public func round(_ digits: Int = 0) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.function("round", [node, .value(BoundValue(digits))]))
  }

  /// Rounds the number to `digits` decimal places. SQL: `round(a, b)`
  public func round(_ digits: SQLExpression<Int>) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.function("round", [node, digits.node]))
  }

  /// Rounds the number to a whole number, upwards. SQL: `ceil(a)`
  public func ceil() -> SQLExpression { SQLExpression(.function("ceil", [node])) }

  /// Rounds the number to a whole number, downwards. SQL: `floor(a)`
  public func floor() -> SQLExpression { SQLExpression(.function("floor", [node])) }

  /// Rounds the number to a whole number, towards zero. SQL: `trunc(a)`
  public func trunc() -> SQLExpression { SQLExpression(.function("trunc", [node])) }

  /// Returns e to the power of the number. SQL: `exp(a)`
  public func exp() -> SQLExpression<Value.RealResult> { real("exp") }

  /// Returns the sine of an angle in radians. SQL: `sin(a)`
  public func sin() -> SQLExpression<Value.RealResult> { real("sin") }

  /// Returns the cosine of an angle in radians. SQL: `cos(a)`
  public func cos() -> SQLExpression<Value.RealResult> { real("cos") }

  /// Returns the tangent of an angle in radians. SQL: `tan(a)`
  public func tan() -> SQLExpression<Value.RealResult> { real("tan") }

  /// Returns the arctangent, in radians. SQL: `atan(a)`
  public func atan() -> SQLExpression<Value.RealResult> { real("atan") }

  /// Returns the angle of the point (x, y) in radians, where y is this number. SQL: `atan2(a, b)`
  public func atan2(_ x: SQLExpression) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.function("atan2", [node, x.node]))
  }

  /// Converts degrees to radians. SQL: `radians(a)`
  public func radians() -> SQLExpression<Value.RealResult> { real("radians") }

  /// Converts radians to degrees. SQL: `degrees(a)`
  public func degrees() -> SQLExpression<Value.RealResult> { real("degrees") }

  /// Returns the square root; NULL for a negative number. SQL: `sqrt(a)`
  public func sqrt() -> SQLExpression<Double?> { partial("sqrt") }

  /// Returns the natural logarithm; NULL unless the number is positive. SQL: `ln(a)`
  public func ln() -> SQLExpression<Double?> { partial("ln") }

  /// Returns the logarithm to base 10; NULL unless the number is positive. SQL: `log10(a)`
  public func log10() -> SQLExpression<Double?> { partial("log10") }

  /// Returns the logarithm to base 2; NULL unless the number is positive. SQL: `log2(a)`
  public func log2() -> SQLExpression<Double?> { partial("log2") }

  /// Returns the arcsine, in radians; NULL unless the number is from -1 to 1. SQL: `asin(a)`
  public func asin() -> SQLExpression<Double?> { partial("asin") }

  /// Returns the arccosine, in radians; NULL unless the number is from -1 to 1. SQL: `acos(a)`
  public func acos() -> SQLExpression<Double?> { partial("acos") }

  /// Returns the number raised to a power; NULL if the result is not a real number.
  /// SQL: `pow(a, ?)`
  public func pow(_ exponent: Double) -> SQLExpression<Double?> {
    SQLExpression<Double?>(.function("pow", [node, .value(BoundValue(exponent))]))
  }

  /// Returns the number raised to a power; NULL if the result is not a real number.
  /// SQL: `pow(a, b)`
  public func pow(_ exponent: SQLExpression) -> SQLExpression<Double?> {
    SQLExpression<Double?>(.function("pow", [node, exponent.node]))
  }

  private func real(_ name: String) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.function(name, [node]))
  }

  private func partial(_ name: String) -> SQLExpression<Double?> {
    SQLExpression<Double?>(.function(name, [node]))
  }
}

// The remainder and the bit operations are methods, because each overload of an operator makes
// compiling slower.

extension SQLExpression where Value: ArithmeticColumnValue {
  /// Returns the remainder of an integer division; NULL if the divisor is 0. SQL: `a % ?`
  public func remainder(_ divisor: Value) -> SQLExpression {
    combined(.remainder, with: .value(BoundValue(divisor)))
  }

  /// Returns the remainder of an integer division; NULL if the divisor is 0. SQL: `a % b`
  public func remainder(_ divisor: SQLExpression) -> SQLExpression {
    combined(.remainder, with: divisor.node)
  }

  /// Returns the bits that are set in both numbers. SQL: `a & ?`
  public func bitAnd(_ other: Value) -> SQLExpression {
    combined(.bitAnd, with: .value(BoundValue(other)))
  }

  /// Returns the bits that are set in both numbers. SQL: `a & b`
  public func bitAnd(_ other: SQLExpression) -> SQLExpression {
    combined(.bitAnd, with: other.node)
  }

  /// Returns the bits that are set in at least one of the numbers. SQL: `a | ?`
  public func bitOr(_ other: Value) -> SQLExpression {
    combined(.bitOr, with: .value(BoundValue(other)))
  }

  /// Returns the bits that are set in at least one of the numbers. SQL: `a | b`
  public func bitOr(_ other: SQLExpression) -> SQLExpression {
    combined(.bitOr, with: other.node)
  }

  /// Returns the number with all its bits inverted. SQL: `~a`
  public func bitNot() -> SQLExpression { SQLExpression(.bitwiseNot(node)) }

  /// Returns the bits shifted to the left. SQL: `a << ?`
  public func shiftedLeft(by count: Int) -> SQLExpression {
    combined(.shiftLeft, with: .value(BoundValue(count)))
  }

  /// Returns the bits shifted to the right; a negative number stays negative. SQL: `a >> ?`
  public func shiftedRight(by count: Int) -> SQLExpression {
    combined(.shiftRight, with: .value(BoundValue(count)))
  }

  /// Returns the bits shifted to the left. SQL: `a << b`
  public func shiftedLeft(by count: SQLExpression<Int>) -> SQLExpression {
    combined(.shiftLeft, with: count.node)
  }

  /// Returns the bits shifted to the right; a negative number stays negative. SQL: `a >> b`
  public func shiftedRight(by count: SQLExpression<Int>) -> SQLExpression {
    combined(.shiftRight, with: count.node)
  }

  private func combined(_ sign: SQLToken, with other: ExpressionNode) -> SQLExpression {
    SQLExpression(.binary(sign, node, other))
  }
}

// These overloads exist for their error messages, because the compiler's own messages do not
// explain the mistake. The overloads do not make other predicates slower to compile. A valid use of
// `/` did not become measurably slower to compile, either: see `ClientCompiler`.

extension SQLExpression where Value == Decimal {
  /// Not available: the quotient of decimals rarely has a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: Decimal) -> SQLExpression { left }

  /// Not available: the quotient of decimals rarely has a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression { left }
}

extension SQLExpression where Value == Decimal? {
  /// Not available: the quotient of decimals rarely has a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: Decimal?) -> SQLExpression { left }

  /// Not available: the quotient of decimals rarely has a finite number of digits.
  @available(
    *, unavailable,
    message: "SQL has no exact quotient of decimal numbers: multiply, or divide in Swift"
  )
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression { left }
}
