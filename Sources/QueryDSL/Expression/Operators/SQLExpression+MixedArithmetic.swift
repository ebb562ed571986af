import SQLCore

// An integer beside a real number gives a real number, in SQL as here.
//
// The overloads for two reals give nothing new. Without them the compiler would try those for an
// integer first, since one side fits these exactly, and would be slow over long sums of reals.

extension SQLExpression where Value == Double {
  /// Returns the sum of an integer and a real number as a real number. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.binary(.plus, left.node, right.node))
  }

  /// Returns the sum of a real number and an integer as a real number. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>
  ) -> SQLExpression {
    SQLExpression(.binary(.plus, left.node, right.node))
  }

  /// Returns the sum. SQL: `a + b`
  public static func + (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.plus, left.node, right.node))
  }

  /// Returns the difference of an integer and a real number as a real number. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.binary(.minus, left.node, right.node))
  }

  /// Returns the difference of a real number and an integer as a real number. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>
  ) -> SQLExpression {
    SQLExpression(.binary(.minus, left.node, right.node))
  }

  /// Returns the difference. SQL: `a - b`
  public static func - (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.minus, left.node, right.node))
  }

  /// Returns the product of an integer and a real number as a real number. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.binary(.times, left.node, right.node))
  }

  /// Returns the product of a real number and an integer as a real number. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>
  ) -> SQLExpression {
    SQLExpression(.binary(.times, left.node, right.node))
  }

  /// Returns the product. SQL: `a * b`
  public static func * (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.times, left.node, right.node))
  }

  /// Returns the quotient of an integer and a real number as a real number. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, right.node))
  }

  /// Returns the quotient of a real number and an integer as a real number. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>
  ) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, right.node))
  }

  /// Returns the quotient. SQL: `a / b`
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, right.node))
  }
}

extension SQLExpression where Value == Double? {
  /// Returns the sum of an integer and a real number as a real number. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer?>, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.binary(.plus, left.node, right.node))
  }

  /// Returns the sum of a real number and an integer as a real number. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer?>
  ) -> SQLExpression {
    SQLExpression(.binary(.plus, left.node, right.node))
  }

  /// Returns the sum. SQL: `a + b`
  public static func + (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.plus, left.node, right.node))
  }

  /// Returns the difference of an integer and a real number as a real number. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer?>, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.binary(.minus, left.node, right.node))
  }

  /// Returns the difference of a real number and an integer as a real number. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer?>
  ) -> SQLExpression {
    SQLExpression(.binary(.minus, left.node, right.node))
  }

  /// Returns the difference. SQL: `a - b`
  public static func - (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.minus, left.node, right.node))
  }

  /// Returns the product of an integer and a real number as a real number. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer?>, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.binary(.times, left.node, right.node))
  }

  /// Returns the product of a real number and an integer as a real number. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer?>
  ) -> SQLExpression {
    SQLExpression(.binary(.times, left.node, right.node))
  }

  /// Returns the product. SQL: `a * b`
  public static func * (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.times, left.node, right.node))
  }

  /// Returns the quotient of an integer and a real number as a real number. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer?>, right: SQLExpression
  ) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, right.node))
  }

  /// Returns the quotient of a real number and an integer as a real number. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer?>
  ) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, right.node))
  }

  /// Returns the quotient. SQL: `a / b`
  public static func / (left: SQLExpression, right: SQLExpression) -> SQLExpression {
    SQLExpression(.binary(.divide, left.node, right.node))
  }
}
