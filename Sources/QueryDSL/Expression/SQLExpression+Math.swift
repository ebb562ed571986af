import SQLCore

// SQLite's mathematical functions. Those that have no value for some numbers, such as the square
// root of a negative one, are NULL there, and so optional.
// https://www.sqlite.org/lang_mathfunc.html

extension SQLExpression where Value: ArithmeticColumnValue {
  /// The number without its sign; that of `Int64.min` is an error. SQL: `abs(a)`
  public func abs() -> SQLExpression { SQLExpression(.function("abs", [node])) }

  /// -1, 0 or 1. SQL: `sign(a)`
  public func sign() -> SQLExpression { SQLExpression(.function("sign", [node])) }

  /// The nearest number with so many decimal places, halves away from zero. SQL: `round(a, ?)`
  public func round(_ digits: Int = 0) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.function("round", [node, .value(BoundValue(digits))]))
  }

  /// The least whole number that is not less. SQL: `ceil(a)`
  public func ceil() -> SQLExpression { SQLExpression(.function("ceil", [node])) }

  /// The greatest whole number that is not greater. SQL: `floor(a)`
  public func floor() -> SQLExpression { SQLExpression(.function("floor", [node])) }

  /// The whole number towards zero. SQL: `trunc(a)`
  public func trunc() -> SQLExpression { SQLExpression(.function("trunc", [node])) }

  /// e to the power of the number. SQL: `exp(a)`
  public func exp() -> SQLExpression<Value.RealResult> { real("exp") }

  /// The sine of an angle in radians. SQL: `sin(a)`
  public func sin() -> SQLExpression<Value.RealResult> { real("sin") }

  /// The cosine of an angle in radians. SQL: `cos(a)`
  public func cos() -> SQLExpression<Value.RealResult> { real("cos") }

  /// The tangent of an angle in radians. SQL: `tan(a)`
  public func tan() -> SQLExpression<Value.RealResult> { real("tan") }

  /// The angle, in radians, whose tangent it is. SQL: `atan(a)`
  public func atan() -> SQLExpression<Value.RealResult> { real("atan") }

  /// The angle of the point (x, this), in radians. SQL: `atan2(a, b)`
  public func atan2(_ x: SQLExpression) -> SQLExpression<Value.RealResult> {
    SQLExpression<Value.RealResult>(.function("atan2", [node, x.node]))
  }

  /// Degrees as radians. SQL: `radians(a)`
  public func radians() -> SQLExpression<Value.RealResult> { real("radians") }

  /// Radians as degrees. SQL: `degrees(a)`
  public func degrees() -> SQLExpression<Value.RealResult> { real("degrees") }

  /// The square root; NULL of a negative number. SQL: `sqrt(a)`
  public func sqrt() -> SQLExpression<Double?> { partial("sqrt") }

  /// The natural logarithm; NULL where there is none. SQL: `ln(a)`
  public func ln() -> SQLExpression<Double?> { partial("ln") }

  /// The logarithm to base 10; NULL where there is none. SQL: `log10(a)`
  public func log10() -> SQLExpression<Double?> { partial("log10") }

  /// The logarithm to base 2; NULL where there is none. SQL: `log2(a)`
  public func log2() -> SQLExpression<Double?> { partial("log2") }

  /// The angle, in radians, whose sine it is; NULL where there is none. SQL: `asin(a)`
  public func asin() -> SQLExpression<Double?> { partial("asin") }

  /// The angle, in radians, whose cosine it is; NULL where there is none. SQL: `acos(a)`
  public func acos() -> SQLExpression<Double?> { partial("acos") }

  /// The number to a power; NULL where there is none. SQL: `pow(a, ?)`
  public func pow(_ exponent: Double) -> SQLExpression<Double?> {
    SQLExpression<Double?>(.function("pow", [node, .value(BoundValue(exponent))]))
  }

  /// The number to a power; NULL where there is none. SQL: `pow(a, b)`
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

// Remainders and bits are methods: each overload of an operator costs the compiler time.

extension SQLExpression where Value: ArithmeticColumnValue {
  /// What is left by a division of whole numbers; NULL where the divisor is 0. SQL: `a % ?`
  public func remainder(_ divisor: Value) -> SQLExpression {
    combined(.remainder, with: .value(BoundValue(divisor)))
  }

  /// What is left by a division of whole numbers; NULL where the divisor is 0. SQL: `a % b`
  public func remainder(_ divisor: SQLExpression) -> SQLExpression {
    combined(.remainder, with: divisor.node)
  }

  /// The bits that both have. SQL: `a & ?`
  public func bitAnd(_ other: Value) -> SQLExpression {
    combined(.bitAnd, with: .value(BoundValue(other)))
  }

  /// The bits that both have. SQL: `a & b`
  public func bitAnd(_ other: SQLExpression) -> SQLExpression {
    combined(.bitAnd, with: other.node)
  }

  /// The bits that one has, or both. SQL: `a | ?`
  public func bitOr(_ other: Value) -> SQLExpression {
    combined(.bitOr, with: .value(BoundValue(other)))
  }

  /// The bits that one has, or both. SQL: `a | b`
  public func bitOr(_ other: SQLExpression) -> SQLExpression {
    combined(.bitOr, with: other.node)
  }

  /// The bits that it has not. SQL: `~a`
  public func bitNot() -> SQLExpression { SQLExpression(.bitwiseNot(node)) }

  /// The bits moved to the left. SQL: `a << ?`
  public func shiftedLeft(by count: Int) -> SQLExpression {
    combined(.shiftLeft, with: .value(BoundValue(count)))
  }

  /// The bits moved to the right, the sign kept. SQL: `a >> ?`
  public func shiftedRight(by count: Int) -> SQLExpression {
    combined(.shiftRight, with: .value(BoundValue(count)))
  }

  private func combined(_ sign: SQLToken, with other: ExpressionNode) -> SQLExpression {
    SQLExpression(.binary(sign, node, other))
  }
}
