import SQLCore

// A value on the left of an operator: `10 - $0.$views`, `3 < $0.$views`. The SQL keeps the order.
//
// A comparison is written with the sides exchanged, as `"views" > ?`. So its text is the same as
// for the comparison with the column first, and the value takes the stored form of the column.

extension SQLExpression where Value: AdditiveColumnValue {
  /// Returns the sum. SQL: `? + a`, of decimals `decimal_add(?, a)`
  public static func + (left: Value, right: SQLExpression) -> SQLExpression {
    SQLExpression(left).calculate(.plus, right)
  }

  /// Returns the difference. SQL: `? - a`, of decimals `decimal_sub(?, a)`
  public static func - (left: Value, right: SQLExpression) -> SQLExpression {
    SQLExpression(left).calculate(.minus, right)
  }

  /// Returns the product. SQL: `? * a`, of decimals `decimal_mul(?, a)`
  public static func * (left: Value, right: SQLExpression) -> SQLExpression {
    SQLExpression(left).calculate(.times, right)
  }
}

extension SQLExpression where Value: ArithmeticColumnValue {
  /// Returns the quotient; NULL if the divisor is 0. Integers are truncated towards zero.
  /// SQL: `? / a`
  public static func / (left: Value, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.divide, .value(BoundValue(left)), right.node))
  }
}

extension SQLExpression {
  /// Tests whether both are equal. SQL: `a = ?`, on an optional `a IS ?`
  public static func == (left: Value, right: SQLExpression) -> SQLPredicate { right == left }

  /// Tests whether they differ. SQL: `a <> ?`, on an optional `a IS NOT ?`
  public static func != (left: Value, right: SQLExpression) -> SQLPredicate { right != left }
}

extension SQLExpression where Value: OrderedColumnValue {
  /// Tests for less; unknown if the expression is NULL. SQL: `a > ?`
  public static func < (left: Value, right: SQLExpression) -> SQLPredicate { right > left }

  /// Tests for greater; unknown if the expression is NULL. SQL: `a < ?`
  public static func > (left: Value, right: SQLExpression) -> SQLPredicate { right < left }

  /// Tests for less or equal; unknown if the expression is NULL. SQL: `a >= ?`
  public static func <= (left: Value, right: SQLExpression) -> SQLPredicate { right >= left }

  /// Tests for greater or equal; unknown if the expression is NULL. SQL: `a <= ?`
  public static func >= (left: Value, right: SQLExpression) -> SQLPredicate { right <= left }
}
