import SQLCore

// Operators between numbers that are never NULL, for code in which an optional number is expected,
// such as `$0.$optional = $0.$views * 2`.
//
// The overloads convert an operand to an optional twice. The compiler prefers a reading with fewer
// such conversions, so it uses these overloads only if an optional is expected. If an operand is
// already an optional, it prefers the overloads that report this mistake.

extension SQLExpression where Value: AdditiveColumnValue, Value._Nullability == _NeverNull {
  /// Returns the sum. SQL: `a + b`
  public static func + (left: SQLExpression, right: SQLExpression??) -> SQLExpression<Value?> {
    lifted(right) { left + $0 }
  }

  /// Returns the sum. SQL: `a + ?`
  public static func + (left: SQLExpression, right: Value??) -> SQLExpression<Value?> {
    lifted(right) { left + $0 }
  }

  /// Returns the sum. SQL: `? + a`
  public static func + (left: Value??, right: SQLExpression) -> SQLExpression<Value?> {
    lifted(left) { $0 + right }
  }

  /// Returns the difference. SQL: `a - b`
  public static func - (left: SQLExpression, right: SQLExpression??) -> SQLExpression<Value?> {
    lifted(right) { left - $0 }
  }

  /// Returns the difference. SQL: `a - ?`
  public static func - (left: SQLExpression, right: Value??) -> SQLExpression<Value?> {
    lifted(right) { left - $0 }
  }

  /// Returns the difference. SQL: `? - a`
  public static func - (left: Value??, right: SQLExpression) -> SQLExpression<Value?> {
    lifted(left) { $0 - right }
  }

  /// Returns the product. SQL: `a * b`
  public static func * (left: SQLExpression, right: SQLExpression??) -> SQLExpression<Value?> {
    lifted(right) { left * $0 }
  }

  /// Returns the product. SQL: `a * ?`
  public static func * (left: SQLExpression, right: Value??) -> SQLExpression<Value?> {
    lifted(right) { left * $0 }
  }

  /// Returns the product. SQL: `? * a`
  public static func * (left: Value??, right: SQLExpression) -> SQLExpression<Value?> {
    lifted(left) { $0 * right }
  }
}

extension SQLExpression where Value: ArithmeticColumnValue, Value._Nullability == _NeverNull {
  /// Returns the quotient; NULL if the divisor is 0. SQL: `a / b`
  public static func / (left: SQLExpression, right: SQLExpression??) -> SQLExpression<Value?> {
    lifted(right) { left / $0 }
  }

  /// Returns the quotient; NULL if the divisor is 0. SQL: `a / ?`
  public static func / (left: SQLExpression, right: Value??) -> SQLExpression<Value?> {
    lifted(right) { left / $0 }
  }

  /// Returns the quotient; NULL if the divisor is 0. SQL: `? / a`
  public static func / (left: Value??, right: SQLExpression) -> SQLExpression<Value?> {
    lifted(left) { $0 / right }
  }
}

extension SQLExpression where Value == Double {
  /// Returns the sum. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression??
  ) -> SQLExpression<Integer.RealResult?> {
    lifted(right) { left + $0 }
  }

  /// Returns the sum. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>??
  ) -> SQLExpression<Integer.RealResult?> {
    lifted(right) { left + $0 }
  }

  /// Returns the difference. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression??
  ) -> SQLExpression<Integer.RealResult?> {
    lifted(right) { left - $0 }
  }

  /// Returns the difference. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>??
  ) -> SQLExpression<Integer.RealResult?> {
    lifted(right) { left - $0 }
  }

  /// Returns the product. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression??
  ) -> SQLExpression<Integer.RealResult?> {
    lifted(right) { left * $0 }
  }

  /// Returns the product. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>??
  ) -> SQLExpression<Integer.RealResult?> {
    lifted(right) { left * $0 }
  }

  /// Returns the quotient; NULL if the divisor is 0. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression??
  ) -> SQLExpression<Integer.RealResult?> {
    lifted(right) { left / $0 }
  }

  /// Returns the quotient; NULL if the divisor is 0. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>??
  ) -> SQLExpression<Integer.RealResult?> {
    lifted(right) { left / $0 }
  }
}

extension SQLExpression where Value: FixedWidthInteger & NumericColumnValue {
  /// Returns the sum. SQL: `a + ?`
  public static func + <Real: _RealValue>(
    left: SQLExpression, right: Real??
  ) -> SQLExpression<Value.RealResult?> {
    lifted(right) { left + $0 }
  }

  /// Returns the sum. SQL: `? + a`
  public static func + <Real: _RealValue>(
    left: Real??, right: SQLExpression
  ) -> SQLExpression<Value.RealResult?> {
    lifted(left) { $0 + right }
  }

  /// Returns the difference. SQL: `a - ?`
  public static func - <Real: _RealValue>(
    left: SQLExpression, right: Real??
  ) -> SQLExpression<Value.RealResult?> {
    lifted(right) { left - $0 }
  }

  /// Returns the difference. SQL: `? - a`
  public static func - <Real: _RealValue>(
    left: Real??, right: SQLExpression
  ) -> SQLExpression<Value.RealResult?> {
    lifted(left) { $0 - right }
  }

  /// Returns the product. SQL: `a * ?`
  public static func * <Real: _RealValue>(
    left: SQLExpression, right: Real??
  ) -> SQLExpression<Value.RealResult?> {
    lifted(right) { left * $0 }
  }

  /// Returns the product. SQL: `? * a`
  public static func * <Real: _RealValue>(
    left: Real??, right: SQLExpression
  ) -> SQLExpression<Value.RealResult?> {
    lifted(left) { $0 * right }
  }

  /// Returns the quotient; NULL if the divisor is 0. SQL: `a / ?`
  public static func / <Real: _RealValue>(
    left: SQLExpression, right: Real??
  ) -> SQLExpression<Value.RealResult?> {
    lifted(right) { left / $0 }
  }

  /// Returns the quotient; NULL if the divisor is 0. SQL: `? / a`
  public static func / <Real: _RealValue>(
    left: Real??, right: SQLExpression
  ) -> SQLExpression<Value.RealResult?> {
    lifted(left) { $0 / right }
  }
}

/// Unwraps an operand, and returns the result of `calculate` for it. If the operand is nil,
/// rendering the query throws `QueryError`. The operand has two levels of optional only so that the
/// compiler prefers other overloads to those that call this function.
private func lifted<Operand, Value: ColumnValue>(
  _ operand: Operand??, _ calculate: (Operand) -> SQLExpression<Value>
) -> SQLExpression<Value?> {
  guard let once = operand, let value = once else {
    return SQLExpression(.invalid(OneOperandMayBeNull.error))
  }
  return calculate(value).optional
}
