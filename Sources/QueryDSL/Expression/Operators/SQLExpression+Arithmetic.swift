import SQLCore

// If the result of integer arithmetic exceeds 64 bits, SQLite makes it a REAL. Reading that as an
// integer throws, and a STRICT table refuses to store it in an INTEGER column.
//
// Decimal numbers are added, subtracted and multiplied by functions, which are exact. There is no
// division: few decimal quotients have a finite number of digits.
//
// The overloads of `+=` for values are disfavoured and stand after the overloads for expressions:
// the compiler then reads `$0.$a += $0.$b * 2` as an expression before it searches the operators of
// Swift for a value. That search takes thousands of steps and finds nothing.
//
// The same rules hold for optional numbers, and NULL makes the result NULL. They share these
// overloads: a second set would cost the compiler seconds to diagnose a mistake.

extension SQLExpression where Value: AdditiveColumnValue {
  /// Returns the sum. SQL: `a + ?`, of decimals `decimal_add(a, ?)`
  public static func + (left: SQLExpression, right: Value) -> SQLExpression {
    left.calculate(.plus, SQLExpression(right))
  }

  /// Returns the sum. SQL: `a + b`, of decimals `decimal_add(a, b)`
  public static func + (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    left.calculate(.plus, right)
  }

  /// Returns the difference. SQL: `a - ?`, of decimals `decimal_sub(a, ?)`
  public static func - (left: SQLExpression, right: Value) -> SQLExpression {
    left.calculate(.minus, SQLExpression(right))
  }

  /// Returns the difference. SQL: `a - b`, of decimals `decimal_sub(a, b)`
  public static func - (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    left.calculate(.minus, right)
  }

  /// Returns the product. SQL: `a * ?`, of decimals `decimal_mul(a, ?)`
  public static func * (left: SQLExpression, right: Value) -> SQLExpression {
    left.calculate(.times, SQLExpression(right))
  }

  /// Returns the product. SQL: `a * b`, of decimals `decimal_mul(a, b)`
  public static func * (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    left.calculate(.times, right)
  }

  /// Returns the number with the opposite sign. SQL: `-a`, of a decimal `decimal_sub(0, a)`
  public static prefix func - (operand: SQLExpression) -> SQLExpression {
    if let functions = Value.arithmetic {
      return SQLExpression(.function(functions.subtraction, [.constant("0"), operand.node]))
    }
    return SQLExpression(.negative(operand.node))
  }

  /// Adds in place, in an update. SQL: `SET a = a + b`
  public static func += (left: inout SQLExpression, right: SQLExpression) { left = left + right }

  /// Subtracts in place, in an update. SQL: `SET a = a - b`
  public static func -= (left: inout SQLExpression, right: SQLExpression) { left = left - right }

  /// Multiplies in place, in an update. SQL: `SET a = a * b`
  public static func *= (left: inout SQLExpression, right: SQLExpression) { left = left * right }

  /// Adds in place, in an update. SQL: `SET a = a + ?`
  @_disfavoredOverload
  public static func += (left: inout SQLExpression, right: Value) { left = left + right }

  /// Subtracts in place, in an update. SQL: `SET a = a - ?`
  @_disfavoredOverload
  public static func -= (left: inout SQLExpression, right: Value) { left = left - right }

  /// Multiplies in place, in an update. SQL: `SET a = a * ?`
  @_disfavoredOverload
  public static func *= (left: inout SQLExpression, right: Value) { left = left * right }

  func calculate(_ sign: SQLToken, _ other: SQLExpression) -> SQLExpression {
    if let name = Value.arithmetic?.name(of: sign) {
      return SQLExpression(.function(name, [node, other.node]))
    }
    return SQLExpression(.binary(sign, node, other.node))
  }
}

extension SQLExpression where Value: ArithmeticColumnValue {
  /// Returns the quotient; NULL if the divisor is 0. Integers are truncated towards zero.
  /// SQL: `a / ?`
  public static func / (left: SQLExpression, right: Value) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, .value(BoundValue(right))))
  }

  /// Returns the quotient; NULL if the divisor is 0. Integers are truncated towards zero.
  /// SQL: `a / b`
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, right.node))
  }

  /// Divides in place, in an update. SQL: `SET a = a / b`
  public static func /= (left: inout SQLExpression, right: SQLExpression) { left = left / right }

  /// Divides in place, in an update. SQL: `SET a = a / ?`
  @_disfavoredOverload
  public static func /= (left: inout SQLExpression, right: Value) { left = left / right }
}

extension ArithmeticFunctions {
  /// Returns the function that replaces an operator.
  fileprivate func name(of sign: SQLToken) -> String? {
    switch sign {
    case .plus: addition
    case .minus: subtraction
    case .times: multiplication
    default: nil
    }
  }
}
