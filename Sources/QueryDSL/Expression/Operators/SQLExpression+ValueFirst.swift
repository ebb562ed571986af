import SQLCore

// A value on the left of an operator: `10 - $0.$views`, `3 < $0.$views`. Arithmetic keeps the order
// of its operands in SQL.
//
// A comparison is written with its operands exchanged: `3 < $0.$views` becomes `"views" > ?`. The
// SQL is then the same as for the comparison with the column first, and the value takes the stored
// form of the column.

extension SQLExpression where Value: AdditiveColumnValue {
  /// Returns the sum. SQL: `? + a`, or `decimal_add(?, a)` for decimals
  public static func + (left: Value, right: SQLExpression) -> SQLExpression {
    SQLExpression(left).calculate(.plus, right)
  }

  /// Returns the difference. SQL: `? - a`, or `decimal_sub(?, a)` for decimals
  public static func - (left: Value, right: SQLExpression) -> SQLExpression {
    SQLExpression(left).calculate(.minus, right)
  }

  /// Returns the product. SQL: `? * a`, or `decimal_mul(?, a)` for decimals
  public static func * (left: Value, right: SQLExpression) -> SQLExpression {
    SQLExpression(left).calculate(.times, right)
  }
}

extension SQLExpression where Value: ArithmeticColumnValue {
  /// Returns the quotient; NULL if the divisor is 0. The quotient of integers is truncated towards
  /// zero.
  /// SQL: `? / a`
  public static func / (left: Value, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.divide, .value(BoundValue(left)), right.node))
  }
}

extension SQLExpression {
  /// Tests whether both operands are equal. SQL: `a = ?`, or `a IS ?` for an optional
  public static func == (left: Value, right: SQLExpression) -> SQLPredicate { right == left }

  /// Tests whether the operands differ. SQL: `a <> ?`, or `a IS NOT ?` for an optional
  public static func != (left: Value, right: SQLExpression) -> SQLPredicate { right != left }
}

extension SQLExpression where Value: OrderedColumnValue {
  /// Tests whether the value is less than the expression; NULL if the expression is NULL.
  /// SQL: `a > ?`, with the operands exchanged
  public static func < (left: Value, right: SQLExpression) -> SQLPredicate { right > left }

  /// Tests whether the value is greater than the expression; NULL if the expression is NULL.
  /// SQL: `a < ?`, with the operands exchanged
  public static func > (left: Value, right: SQLExpression) -> SQLPredicate { right < left }

  /// Tests whether the value is less than or equal to the expression; NULL if the expression is
  /// NULL. SQL: `a >= ?`, with the operands exchanged
  public static func <= (left: Value, right: SQLExpression) -> SQLPredicate { right >= left }

  /// Tests whether the value is greater than or equal to the expression; NULL if the expression is
  /// NULL. SQL: `a <= ?`, with the operands exchanged
  public static func >= (left: Value, right: SQLExpression) -> SQLPredicate { right <= left }
}
