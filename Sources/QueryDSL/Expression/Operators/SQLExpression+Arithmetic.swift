import SQLCore

// If the result of integer arithmetic exceeds 64 bits, SQLite returns a REAL. Reading the REAL as
// an integer throws, and a STRICT table does not store it in an INTEGER column.
//
// Exact functions add, subtract and multiply decimal numbers. There is no division, because few
// decimal quotients have a finite number of digits.
//
// The overloads of `+=` for values are disfavoured, and are declared after the overloads for
// expressions. The compiler therefore first reads the right side of `$0.$a += $0.$b * 2` as an
// expression. If the compiler first read the right side as a value, it would try Swift's own
// operators in thousands of steps, and find no match.
//
// All this also holds for optional numbers. If an operand is NULL, the result is NULL. The
// overloads below also accept optional numbers, because with a second set of overloads, the
// compiler would take seconds to diagnose a mistake.

extension SQLExpression where Value: AdditiveColumnValue {
  /// Returns the sum. SQL: `a + ?`, or `decimal_add(a, ?)` for decimals
  public static func + (left: SQLExpression, right: Value) -> SQLExpression {
    left.calculate(.plus, SQLExpression(right))
  }

  /// Returns the sum. SQL: `a + b`, or `decimal_add(a, b)` for decimals
  public static func + (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    left.calculate(.plus, right)
  }

  /// Returns the difference. SQL: `a - ?`, or `decimal_sub(a, ?)` for decimals
  public static func - (left: SQLExpression, right: Value) -> SQLExpression {
    left.calculate(.minus, SQLExpression(right))
  }

  /// Returns the difference. SQL: `a - b`, or `decimal_sub(a, b)` for decimals
  public static func - (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    left.calculate(.minus, right)
  }

  /// Returns the product. SQL: `a * ?`, or `decimal_mul(a, ?)` for decimals
  public static func * (left: SQLExpression, right: Value) -> SQLExpression {
    left.calculate(.times, SQLExpression(right))
  }

  /// Returns the product. SQL: `a * b`, or `decimal_mul(a, b)` for decimals
  public static func * (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    left.calculate(.times, right)
  }

  /// Returns the number with the opposite sign. SQL: `-a`, or `decimal_sub(0, a)` for a decimal
  public static prefix func - (operand: SQLExpression) -> SQLExpression {
    if let functions = Value.arithmetic {
      return SQLExpression(.function(functions.subtraction, [.constant("0"), operand.node]))
    }
    return SQLExpression(.negative(operand.node))
  }

  /// Adds an expression to a column, in an update. SQL: `SET a = a + b`
  public static func += (left: inout SQLExpression, right: SQLExpression) { left = left + right }

  /// Subtracts an expression from a column, in an update. SQL: `SET a = a - b`
  public static func -= (left: inout SQLExpression, right: SQLExpression) { left = left - right }

  /// Multiplies a column by an expression, in an update. SQL: `SET a = a * b`
  public static func *= (left: inout SQLExpression, right: SQLExpression) { left = left * right }

  /// Adds a value to a column, in an update. SQL: `SET a = a + ?`
  @_disfavoredOverload
  public static func += (left: inout SQLExpression, right: Value) { left = left + right }

  /// Subtracts a value from a column, in an update. SQL: `SET a = a - ?`
  @_disfavoredOverload
  public static func -= (left: inout SQLExpression, right: Value) { left = left - right }

  /// Multiplies a column by a value, in an update. SQL: `SET a = a * ?`
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
  /// Returns the quotient; NULL if the divisor is 0. The quotient of integers is truncated towards
  /// zero.
  /// SQL: `a / ?`
  public static func / (left: SQLExpression, right: Value) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, .value(BoundValue(right))))
  }

  /// Returns the quotient; NULL if the divisor is 0. The quotient of integers is truncated towards
  /// zero.
  /// SQL: `a / b`
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, right.node))
  }

  /// Divides a column by an expression, in an update. SQL: `SET a = a / b`
  public static func /= (left: inout SQLExpression, right: SQLExpression) { left = left / right }

  /// Divides a column by a value, in an update. SQL: `SET a = a / ?`
  @_disfavoredOverload
  public static func /= (left: inout SQLExpression, right: Value) { left = left / right }
}

extension ArithmeticFunctions {
  /// Returns the name of the SQL function that calculates an operator, such as `decimal_add` for
  /// `+`. Returns nil if there is no such function.
  fileprivate func name(of sign: SQLToken) -> String? {
    switch sign {
    case .plus: addition
    case .minus: subtraction
    case .times: multiplication
    default: nil
    }
  }
}
