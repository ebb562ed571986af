import SQLCore

// An integer that leaves 64 bits becomes a REAL in SQLite; read as an integer it then throws, and
// stored into an INTEGER column of a STRICT table it is refused.
//
// Decimal numbers are added, subtracted and multiplied by functions, which are exact; they have no
// quotient, which seldom has an end.
//
// On optional numbers the same holds, and NULL makes the result NULL. The overloads are the same: a
// second set for optionals would cost the compiler seconds over a mistake.

extension SQLExpression where Value: AdditiveColumnValue {
  /// The sum. SQL: `a + ?`, of decimals `decimal_add(a, ?)`
  public static func + (left: SQLExpression, right: Value) -> SQLExpression {
    left.calculate(.plus, SQLExpression(right))
  }

  /// The sum. SQL: `a + b`
  public static func + (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    left.calculate(.plus, right)
  }

  /// The difference. SQL: `a - ?`, of decimals `decimal_sub(a, ?)`
  public static func - (left: SQLExpression, right: Value) -> SQLExpression {
    left.calculate(.minus, SQLExpression(right))
  }

  /// The difference. SQL: `a - b`
  public static func - (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    left.calculate(.minus, right)
  }

  /// The product. SQL: `a * ?`, of decimals `decimal_mul(a, ?)`
  public static func * (left: SQLExpression, right: Value) -> SQLExpression {
    left.calculate(.times, SQLExpression(right))
  }

  /// The product. SQL: `a * b`
  public static func * (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    left.calculate(.times, right)
  }

  /// The number with the other sign. SQL: `-a`, of a decimal `decimal_sub(0, a)`
  public static prefix func - (operand: SQLExpression) -> SQLExpression {
    if let functions = Value.arithmetic {
      return SQLExpression(.function(functions.subtraction, [.constant("0"), operand.node]))
    }
    return SQLExpression(.negative(operand.node))
  }

  /// Adds in place, in an update. SQL: `SET a = a + ?`
  public static func += (left: inout SQLExpression, right: Value) { left = left + right }

  /// Subtracts in place, in an update. SQL: `SET a = a - ?`
  public static func -= (left: inout SQLExpression, right: Value) { left = left - right }

  /// Multiplies in place, in an update. SQL: `SET a = a * ?`
  public static func *= (left: inout SQLExpression, right: Value) { left = left * right }

  /// Adds in place, in an update. SQL: `SET a = a + b`
  public static func += (left: inout SQLExpression, right: SQLExpression) { left = left + right }

  /// Subtracts in place, in an update. SQL: `SET a = a - b`
  public static func -= (left: inout SQLExpression, right: SQLExpression) { left = left - right }

  /// Multiplies in place, in an update. SQL: `SET a = a * b`
  public static func *= (left: inout SQLExpression, right: SQLExpression) { left = left * right }

  private func calculate(_ sign: SQLToken, _ other: SQLExpression) -> SQLExpression {
    if let name = Value.arithmetic?.name(of: sign) {
      return SQLExpression(.function(name, [node, other.node]))
    }
    return SQLExpression(.binary(sign, node, other.node))
  }
}

extension SQLExpression where Value: ArithmeticColumnValue {
  /// The quotient, of integers without its fraction; NULL where the divisor is 0. SQL: `a / ?`
  public static func / (left: SQLExpression, right: Value) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, .value(BoundValue(right))))
  }

  /// The quotient, of integers without its fraction; NULL where the divisor is 0. SQL: `a / b`
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, right.node))
  }

  /// Divides in place, in an update. SQL: `SET a = a / ?`
  public static func /= (left: inout SQLExpression, right: Value) { left = left / right }

  /// Divides in place, in an update. SQL: `SET a = a / b`
  public static func /= (left: inout SQLExpression, right: SQLExpression) { left = left / right }
}

extension ArithmeticFunctions {
  /// The function in the place of an operator.
  fileprivate func name(of sign: SQLToken) -> String? {
    switch sign {
    case .plus: addition
    case .minus: subtraction
    case .times: multiplication
    default: nil
    }
  }
}
