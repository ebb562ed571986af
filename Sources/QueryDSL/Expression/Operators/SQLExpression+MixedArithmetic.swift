import SQLCore

// An integer beside a real number gives a real number, in SQL as here.
//
// The overloads for two reals give nothing new. Without them the compiler would try the overloads
// for an integer first, since one side matches these exactly, and would be slow on long sums of
// reals.
//
// The results are Double, but a generic parameter stands for their type. If the compiler knew that
// the whole is a Double, for example in an update, it would otherwise try these overloads before it
// knows their operands. The time would be exponential in the number of operands.

extension SQLExpression where Value == Double {
  /// Returns the sum of an integer and a real number as a real number. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult> {
    SQLExpression<Integer.RealResult>(.binary(.plus, left.node, right.node))
  }

  /// Returns the sum of a real number and an integer as a real number. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>
  ) -> SQLExpression<Integer.RealResult> {
    SQLExpression<Integer.RealResult>(.binary(.plus, left.node, right.node))
  }

  /// Returns the sum. SQL: `a + b`
  public static func + <Real: _RealValue>(
    left: SQLExpression, right: SQLExpression<Real>
  ) -> SQLExpression<Real> {
    SQLExpression<Real>(.binary(.plus, left.node, right.node))
  }

  /// Returns the difference of an integer and a real number as a real number. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult> {
    SQLExpression<Integer.RealResult>(.binary(.minus, left.node, right.node))
  }

  /// Returns the difference of a real number and an integer as a real number. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>
  ) -> SQLExpression<Integer.RealResult> {
    SQLExpression<Integer.RealResult>(.binary(.minus, left.node, right.node))
  }

  /// Returns the difference. SQL: `a - b`
  public static func - <Real: _RealValue>(
    left: SQLExpression, right: SQLExpression<Real>
  ) -> SQLExpression<Real> {
    SQLExpression<Real>(.binary(.minus, left.node, right.node))
  }

  /// Returns the product of an integer and a real number as a real number. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult> {
    SQLExpression<Integer.RealResult>(.binary(.times, left.node, right.node))
  }

  /// Returns the product of a real number and an integer as a real number. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>
  ) -> SQLExpression<Integer.RealResult> {
    SQLExpression<Integer.RealResult>(.binary(.times, left.node, right.node))
  }

  /// Returns the product. SQL: `a * b`
  public static func * <Real: _RealValue>(
    left: SQLExpression, right: SQLExpression<Real>
  ) -> SQLExpression<Real> {
    SQLExpression<Real>(.binary(.times, left.node, right.node))
  }

  /// Returns the quotient of an integer and a real number as a real number. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer>, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult> {
    SQLExpression<Integer.RealResult>(.binary(.divide, left.node, right.node))
  }

  /// Returns the quotient of a real number and an integer as a real number. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer>
  ) -> SQLExpression<Integer.RealResult> {
    SQLExpression<Integer.RealResult>(.binary(.divide, left.node, right.node))
  }

  /// Returns the quotient. SQL: `a / b`
  public static func / <Real: _RealValue>(
    left: SQLExpression, right: SQLExpression<Real>
  ) -> SQLExpression<Real> {
    SQLExpression<Real>(.binary(.divide, left.node, right.node))
  }
}

extension SQLExpression where Value == Double? {
  /// Returns the sum of an integer and a real number as a real number. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer?>, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult?> {
    SQLExpression<Integer.RealResult?>(.binary(.plus, left.node, right.node))
  }

  /// Returns the sum of a real number and an integer as a real number. SQL: `a + b`
  public static func + <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer?>
  ) -> SQLExpression<Integer.RealResult?> {
    SQLExpression<Integer.RealResult?>(.binary(.plus, left.node, right.node))
  }

  /// Returns the sum. SQL: `a + b`
  public static func + <Real: _RealValue>(
    left: SQLExpression, right: SQLExpression<Real?>
  ) -> SQLExpression<Real?> {
    SQLExpression<Real?>(.binary(.plus, left.node, right.node))
  }

  /// Returns the difference of an integer and a real number as a real number. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer?>, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult?> {
    SQLExpression<Integer.RealResult?>(.binary(.minus, left.node, right.node))
  }

  /// Returns the difference of a real number and an integer as a real number. SQL: `a - b`
  public static func - <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer?>
  ) -> SQLExpression<Integer.RealResult?> {
    SQLExpression<Integer.RealResult?>(.binary(.minus, left.node, right.node))
  }

  /// Returns the difference. SQL: `a - b`
  public static func - <Real: _RealValue>(
    left: SQLExpression, right: SQLExpression<Real?>
  ) -> SQLExpression<Real?> {
    SQLExpression<Real?>(.binary(.minus, left.node, right.node))
  }

  /// Returns the product of an integer and a real number as a real number. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer?>, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult?> {
    SQLExpression<Integer.RealResult?>(.binary(.times, left.node, right.node))
  }

  /// Returns the product of a real number and an integer as a real number. SQL: `a * b`
  public static func * <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer?>
  ) -> SQLExpression<Integer.RealResult?> {
    SQLExpression<Integer.RealResult?>(.binary(.times, left.node, right.node))
  }

  /// Returns the product. SQL: `a * b`
  public static func * <Real: _RealValue>(
    left: SQLExpression, right: SQLExpression<Real?>
  ) -> SQLExpression<Real?> {
    SQLExpression<Real?>(.binary(.times, left.node, right.node))
  }

  /// Returns the quotient of an integer and a real number as a real number. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression<Integer?>, right: SQLExpression
  ) -> SQLExpression<Integer.RealResult?> {
    SQLExpression<Integer.RealResult?>(.binary(.divide, left.node, right.node))
  }

  /// Returns the quotient of a real number and an integer as a real number. SQL: `a / b`
  public static func / <Integer: FixedWidthInteger & NumericColumnValue>(
    left: SQLExpression, right: SQLExpression<Integer?>
  ) -> SQLExpression<Integer.RealResult?> {
    SQLExpression<Integer.RealResult?>(.binary(.divide, left.node, right.node))
  }

  /// Returns the quotient. SQL: `a / b`
  public static func / <Real: _RealValue>(
    left: SQLExpression, right: SQLExpression<Real?>
  ) -> SQLExpression<Real?> {
    SQLExpression<Real?>(.binary(.divide, left.node, right.node))
  }
}
