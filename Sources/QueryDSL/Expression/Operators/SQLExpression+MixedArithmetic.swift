import SQLCore

// Arithmetic of an integer and a real number gives a real number, as in SQL.
//
// The overloads for two real numbers give the same results as the overloads in
// `SQLExpression+Arithmetic.swift`. Without them, the compiler would first try the overloads for an
// integer and a real number, because one operand matches exactly. It would then be slow on long
// sums of real numbers.
//
// The results have the type Double, but the overloads declare it as a generic parameter. If they
// declared it as Double, the compiler would try these overloads wherever a Double is needed, such
// as in an update, before it knows the operands. Its time would grow exponentially with the number
// of operands.

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
